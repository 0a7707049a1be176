import { Duration } from 'aws-cdk-lib';
import type { Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Alarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Handler } from './handler.ts';
import type { RelayTask } from './relay.ts';
import type { Messaging } from './messaging.ts';

type Watched = {
  readonly api: HttpApi;
  readonly messaging: Messaging;
  readonly worker: Handler;
  readonly transcriber: Handler;
  readonly deadLetters: Handler;
  readonly sweeper: Handler;
  readonly relay?: RelayTask | undefined;
};

type Rule = {
  readonly id: string;
  /** The heading in docs/runbook.md, as its anchor. */
  readonly anchor: string;
  readonly meaning: string;
  readonly metric: IMetric;
  /** The alarm sounds at this value or above it. */
  readonly from: number;
  readonly periods: number;
  /** It sounds below the value instead, and where nothing is measured. */
  readonly whenMissing?: boolean;
};

const five = { period: Duration.minutes(5), statistic: Stats.SUM };
const oldest = { period: Duration.minutes(1), statistic: Stats.MAXIMUM };

/** One alarm for each way in which people stop getting answers. Each names its paragraph of the runbook. */
export function alarms(stack: Stack, on: Watched, topicArn: string | undefined): void {
  const action = topicArn ? new SnsAction(Topic.fromTopicArn(stack, 'AlarmTopic', topicArn)) : undefined;
  for (const rule of [...rules(on), keyRule(stack, on), ...relayRules(on)]) {
    const alarm = new Alarm(stack, rule.id, {
      alarmName: `${stack.stackName}-${rule.anchor}`,
      alarmDescription: `${rule.meaning} What to do: docs/runbook.md#${rule.anchor}`,
      metric: rule.metric,
      threshold: rule.from,
      comparisonOperator: rule.whenMissing
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: rule.periods,
      treatMissingData: rule.whenMissing ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    if (action) alarm.addAlarmAction(action);
  }
}

function rules({ api, messaging, worker, deadLetters, sweeper }: Watched): readonly Rule[] {
  return [
    {
      id: 'TaskDied',
      anchor: 'task-died',
      meaning:
        'A task failed five times: a question is apologised for in its thread, a change is tried again.',
      // Not a count of messages: those that SQS itself moves to a dead-letter queue do not count as sent, and they
      // are taken from it within seconds.
      metric: deadLetters.lambda.metricInvocations(five),
      from: 1,
      periods: 1,
    },
    {
      id: 'DeadLetterStuck',
      anchor: 'dead-letter-stuck',
      meaning: 'A task failed for good, and its asker could not be told.',
      metric: messaging.dead.metricApproximateAgeOfOldestMessage(oldest),
      from: 900,
      periods: 1,
    },
    {
      id: 'FrontFails',
      anchor: 'front-fails',
      meaning: 'Events of the platforms are answered by 5xx.',
      metric: api.metricServerError(five),
      from: 3,
      periods: 1,
    },
    {
      id: 'WorkerFails',
      anchor: 'worker-fails',
      meaning: 'The worker crashes or runs out of time.',
      metric: worker.lambda.metricErrors(five),
      from: 3,
      periods: 1,
    },
    {
      id: 'TasksWait',
      anchor: 'tasks-wait',
      meaning: 'The oldest task has waited for ten minutes.',
      metric: messaging.tasks.metricApproximateAgeOfOldestMessage(oldest),
      from: 600,
      periods: 2,
    },
    {
      id: 'SweeperFails',
      anchor: 'sweeper-fails',
      meaning: 'Stuck tasks are no longer found again.',
      metric: sweeper.lambda.metricErrors(five),
      from: 3,
      periods: 1,
    },
  ];
}

/** Whoever runs the deployment owns its keys, and is told when one is refused: the others serve in its place. */
function keyRule(stack: Stack, { worker, transcriber }: Watched): Rule {
  const metricName = 'KeyRefused';
  const [metric] = [worker, transcriber].map((handler) =>
    new MetricFilter(handler, metricName, {
      logGroup: handler.lambda.logGroup,
      filterPattern: FilterPattern.stringValue('$.event', '=', 'key.refused'),
      metricNamespace: stack.stackName,
      metricName,
    }).metric(five),
  );
  if (!metric) throw new Error('unreachable: there are two');
  const meaning = 'The models refused a key of the deployment, also after its secret was read anew.';
  return { id: metricName, anchor: 'key-refused', meaning, metric, from: 1, periods: 1 };
}

function relayRules({ relay }: Watched): readonly Rule[] {
  if (!relay) return [];
  return [
    {
      id: 'RelayStopped',
      anchor: 'relay-stopped',
      meaning: 'The relay of Discord has stopped for good, or begins no session.',
      metric: relay.stopped,
      from: 1,
      periods: 1,
    },
    {
      id: 'RelayGone',
      anchor: 'relay-gone',
      meaning: 'No task of the relay runs: mentions and direct messages on Discord wait.',
      metric: relay.running,
      from: 1,
      periods: 2,
      whenMissing: true,
    },
  ];
}
