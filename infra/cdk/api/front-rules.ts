import type { Stack } from 'aws-cdk-lib';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import { ROUTES } from '../../../shared/runtime/shared-names.ts';
import { counted, five, type Rule } from '../monitoring/alarm-rule.ts';
import type { Api } from './api.ts';

/** Whether the platforms are answered, in time, and by us. They wait for three seconds. */
export function frontRules(stack: Stack, api: Api): readonly Rule[] {
  const slack = FilterPattern.stringValue('$.route', '=', `POST ${ROUTES.slackEvents}`);
  return [
    {
      id: 'FrontFails',
      anchor: 'front-fails',
      meaning: 'Requests of the platforms get 5xx responses.',
      metric: api.api.metricServerError(five),
      from: 3,
      periods: 1,
    },
    {
      id: 'FrontRefuses',
      anchor: 'front-refuses',
      meaning: 'Requests to the Slack address have an invalid signature.',
      // Not those of Discord, which sends some with a wrong signature to see whether they are refused.
      metric: counted(stack, 'FrontRefuses', [api.logs], {
        pattern: FilterPattern.all(slack, FilterPattern.stringValue('$.status', '=', '401')),
        every: five,
      }),
      from: 5,
      periods: 1,
    },
    {
      id: 'RequestsThrottled',
      anchor: 'requests-throttled',
      meaning: 'The API rejects requests with 429: more arrive than its throttle accepts.',
      // API Gateway does not log every one of a flood: the line is as low as a flood of any size passes.
      metric: counted(stack, 'RequestsThrottled', [api.logs], {
        pattern: FilterPattern.stringValue('$.status', '=', '429'),
        every: five,
      }),
      from: 10,
      periods: 1,
    },
    {
      id: 'AcknowledgementSlow',
      anchor: 'acknowledgement-slow',
      meaning: 'One request of a hundred takes two seconds or more; the platforms give up after three.',
      metric: api.latency('p99'),
      from: 2_000,
      periods: 3,
      isPercentile: true,
    },
    {
      id: 'AcknowledgementMostlySlow',
      anchor: 'acknowledgement-mostly-slow',
      meaning: 'Half of all requests take half a second or more.',
      metric: api.latency('p50'),
      from: 500,
      periods: 3,
      isPercentile: true,
    },
  ];
}
