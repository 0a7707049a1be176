import type { Stack } from 'aws-cdk-lib';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import { ROUTES } from '../../../shared/runtime/index.ts';
import { countLogLines, FIVE_MINUTE_SUM, type AlarmRule } from '../alarm-rule.ts';
import type { LambdaFunction } from '../lambda-function.ts';
import type { Api } from './api.ts';

/** Alarms on the response to platform requests, which time out after three seconds. */
export const createFrontRules = (
  stack: Stack,
  api: Api,
  discordInteractions: LambdaFunction,
): readonly AlarmRule[] => [
  ...createFailureRules(stack, api, discordInteractions),
  ...createRefusalRules(stack, api),
  ...createSlownessRules(api),
];

const createFailureRules = (
  stack: Stack,
  api: Api,
  discordInteractions: LambdaFunction,
): readonly AlarmRule[] => [
  {
    id: 'FrontFails',
    anchor: 'front-fails',
    meaning: 'Requests of the platforms get 5xx responses.',
    metric: api.api.metricServerError(FIVE_MINUTE_SUM),
    threshold: 3,
    periods: 1,
  },
  {
    id: 'InteractionsFail',
    anchor: 'front-fails',
    part: 'commands',
    // The response is a message for the person, because Discord would show an error without a reason.
    meaning: 'Commands, buttons or modals in Discord are not accepted.',
    metric: countLogLines(stack, 'InteractionsFail', [discordInteractions.lambda.logGroup], {
      pattern: FilterPattern.stringValue('$.event', '=', 'interaction.failed'),
      every: FIVE_MINUTE_SUM,
    }),
    threshold: 3,
    periods: 1,
  },
];

function createRefusalRules(stack: Stack, api: Api): readonly AlarmRule[] {
  const slack = FilterPattern.stringValue('$.route', '=', `POST ${ROUTES.slackEvents}`);
  return [
    {
      id: 'FrontRefuses',
      anchor: 'front-refuses',
      meaning: 'Requests to the Slack address have an invalid signature.',
      // Not for Discord, which sends invalid signatures on purpose to test the endpoint.
      metric: countLogLines(stack, 'FrontRefuses', [api.logs], {
        pattern: FilterPattern.all(slack, FilterPattern.stringValue('$.status', '=', '401')),
        every: FIVE_MINUTE_SUM,
      }),
      threshold: 5,
      periods: 1,
    },
    {
      id: 'RequestsThrottled',
      anchor: 'requests-throttled',
      meaning: 'The API rejects requests with 429: more arrive than its throttle accepts.',
      // API Gateway does not log every throttled request, so the threshold is low.
      metric: countLogLines(stack, 'RequestsThrottled', [api.logs], {
        pattern: FilterPattern.stringValue('$.status', '=', '429'),
        every: FIVE_MINUTE_SUM,
      }),
      threshold: 10,
      periods: 1,
    },
  ];
}

const createSlownessRules = (api: Api): readonly AlarmRule[] => [
  {
    id: 'AcknowledgementSlow',
    anchor: 'acknowledgement-slow',
    meaning: 'One request of a hundred takes two seconds or more; the platforms give up after three.',
    metric: api.latency('p99'),
    threshold: 2_000,
    periods: 3,
  },
  {
    id: 'AcknowledgementMostlySlow',
    anchor: 'acknowledgement-mostly-slow',
    meaning: 'Half of all requests take half a second or more.',
    metric: api.latency('p50'),
    threshold: 500,
    periods: 3,
  },
];
