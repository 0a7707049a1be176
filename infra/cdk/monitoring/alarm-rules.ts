import type { Stack } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import {
  countLogLines,
  FIVE_MINUTE_AVERAGE,
  FIVE_MINUTE_SUM,
  createOwnMetric,
  ONE_MINUTE_MAX,
  QUARTER_HOUR_SUM,
  type AlarmRule,
} from '../alarm-rule.ts';
import type { Api } from '../api/api.ts';
import { createCanaryRule } from './canary.ts';
import { createIntegrationApiRules, type IntegrationApi } from '../api/integration-api.ts';
import { createFrontRules } from '../api/front-rules.ts';
import { createRelayRules } from './relay-rules.ts';
import type { LambdaFunction } from '../lambda-function.ts';
import type { Messaging } from '../messaging.ts';
import type { RelayTask } from '../containers/relay.ts';
import type { Storage } from '../storage.ts';
import type { WorkerService } from '../containers/worker-service.ts';

/** The monitored resources. */
export type MonitoredResources = {
  readonly api: Api;
  readonly integrationApi?: IntegrationApi | undefined;
  readonly messaging: Messaging;
  readonly storage: Storage;
  readonly discordInteractions: LambdaFunction;
  readonly worker: LambdaFunction;
  readonly largeWorker: LambdaFunction;
  readonly transcriber: LambdaFunction;
  readonly deadLetters: LambdaFunction;
  readonly sweeper: LambdaFunction;
  /** When the worker is a container. */
  readonly workerService?: WorkerService | undefined;
  readonly relay?: RelayTask | undefined;
  readonly canary?: LambdaFunction | undefined;
};

/** Reasons of `answer.failed` that affect everyone, not one question, person or busy minute. */
const GENERAL_FAILURES = [
  'quota',
  'not-found',
  'unknown-model',
  'server',
  'connection',
  'timeout',
  'cut',
  'malformed',
];

/** Creates one rule for each way in which people stop getting answers. */
export function createAlarmRules(stack: Stack, on: MonitoredResources): readonly AlarmRule[] {
  return [
    ...createTaskRules(on),
    ...createFrontRules(stack, on.api, on.discordInteractions),
    ...(on.integrationApi ? createIntegrationApiRules(on.integrationApi) : []),
    ...createSweeperRules(stack, on),
    ...createRecordingRules(on),
    ...createModelRules(stack, on),
    ...createLimitRules(on),
    ...createRelayRules(stack, on.relay),
    ...createLatencyRules(stack),
    ...(on.canary ? [createCanaryRule(on.canary)] : []),
  ];
}

function createTaskRules({
  messaging,
  worker,
  largeWorker,
  workerService,
  deadLetters,
}: MonitoredResources): readonly AlarmRule[] {
  return [
    ...(workerService ? [createWorkerGoneRule(workerService)] : []),
    ...createDeadLetterRules(messaging, deadLetters),
    {
      id: 'WorkerFails',
      anchor: 'worker-fails',
      meaning: 'A worker crashed or timed out.',
      metric: worker.lambda.metricErrors(FIVE_MINUTE_SUM),
      threshold: 3,
      periods: 1,
    },
    {
      id: 'LargeWorkerFails',
      anchor: 'worker-fails',
      part: 'large-worker',
      meaning: 'The worker for large tasks crashed or timed out.',
      metric: largeWorker.lambda.metricErrors(FIVE_MINUTE_SUM),
      threshold: 3,
      periods: 1,
    },
    {
      id: 'TasksWait',
      anchor: 'tasks-wait',
      meaning: 'The oldest task has waited for ten minutes.',
      metric: messaging.tasks.metricApproximateAgeOfOldestMessage(ONE_MINUTE_MAX),
      threshold: 600,
      periods: 2,
    },
  ];
}

const createDeadLetterRules = (messaging: Messaging, deadLetters: LambdaFunction): readonly AlarmRule[] => [
  {
    id: 'TaskDied',
    anchor: 'task-died',
    meaning:
      'A task failed too often or killed its process. A question gets a failure notice; a change is retried.',
    // Invocations instead of queue length: messages are received within seconds.
    metric: deadLetters.lambda.metricInvocations(FIVE_MINUTE_SUM),
    threshold: 1,
    periods: 1,
  },
  {
    id: 'DeadLetterStuck',
    anchor: 'dead-letter-stuck',
    meaning: 'A task failed for good, and the person could not be told.',
    metric: messaging.dead.metricApproximateAgeOfOldestMessage(ONE_MINUTE_MAX),
    threshold: 900,
    periods: 1,
  },
  {
    // The age alone would not show it: SQS leaves out messages that were received several times (SQS, "Available CloudWatch metrics"), and
    // `dead-letters` receives one that it cannot handle every three minutes. In between it is in flight. The average, because a sample that SQS takes
    // just before it is received again is 0.
    id: 'DeadLetterRetried',
    anchor: 'dead-letter-stuck',
    part: 'retried',
    meaning: 'A task failed for good, and every attempt to tell the person failed for 15 minutes.',
    metric: messaging.dead.metricApproximateNumberOfMessagesNotVisible(FIVE_MINUTE_AVERAGE),
    threshold: 0.5,
    periods: 3,
  },
];

const createWorkerGoneRule = ({ running }: WorkerService): AlarmRule => ({
  id: 'WorkerGone',
  anchor: 'worker-gone',
  meaning: 'No worker container runs: questions wait.',
  metric: running,
  threshold: 1,
  periods: 2,
  firesWhenMissing: true,
});

/** Errors alone would not show a missing schedule. */
function createSweeperRules(stack: Stack, { sweeper }: MonitoredResources): readonly AlarmRule[] {
  const runs: AlarmRule = {
    id: 'SweeperFails',
    anchor: 'sweeper-fails',
    meaning: 'The sweeper has not completed a run for ten minutes: stuck tasks are not found.',
    metric: new MathExpression({
      // Lambda writes both for each invocation.
      expression: 'called - failed',
      usingMetrics: {
        called: sweeper.lambda.metricInvocations(FIVE_MINUTE_SUM),
        failed: sweeper.lambda.metricErrors(FIVE_MINUTE_SUM),
      },
      label: 'runs',
      period: FIVE_MINUTE_SUM.period,
    }),
    threshold: 1,
    periods: 2,
    firesWhenMissing: true,
  };
  const items: AlarmRule = {
    id: 'SweepItemsFail',
    anchor: 'sweep-items-fail',
    meaning: 'Stuck tasks cannot be queued: each is retried for six hours, then given up.',
    metric: countLogLines(stack, 'SweepItemsFail', [sweeper.lambda.logGroup], {
      pattern: FilterPattern.all(FilterPattern.stringValue('$.event', '=', 'sweep.failed')),
      every: QUARTER_HOUR_SUM,
    }),
    threshold: 3,
    periods: 1,
  };
  return [runs, items];
}

function createRecordingRules({ messaging, transcriber }: MonitoredResources): readonly AlarmRule[] {
  return [
    {
      id: 'TranscriberFails',
      anchor: 'transcriber-fails',
      meaning: 'The transcriber crashed or timed out.',
      metric: transcriber.lambda.metricErrors(FIVE_MINUTE_SUM),
      threshold: 3,
      periods: 1,
    },
    {
      id: 'RecordingsWait',
      anchor: 'recordings-wait',
      meaning: 'The oldest recording has waited for half an hour. After a day it is dropped.',
      metric: messaging.voice.metricApproximateAgeOfOldestMessage(ONE_MINUTE_MAX),
      threshold: 1_800,
      periods: 5,
    },
  ];
}

/** Only the operator can fix these: they own the keys and the account of the model server. */
function createModelRules(
  stack: Stack,
  { worker, largeWorker, transcriber }: MonitoredResources,
): readonly AlarmRule[] {
  const workers = [worker.lambda.logGroup, largeWorker.lambda.logGroup];
  const failed = FilterPattern.stringValue('$.event', '=', 'answer.failed');
  const reasons = GENERAL_FAILURES.map((reason) => FilterPattern.stringValue('$.reason', '=', reason));
  return [
    {
      id: 'KeyRefused',
      anchor: 'key-refused',
      meaning: 'The models rejected an API key of the deployment, even after its secret was read again.',
      metric: countLogLines(stack, 'KeyRefused', [...workers, transcriber.lambda.logGroup], {
        pattern: FilterPattern.stringValue('$.event', '=', 'api-key.rejected'),
        every: FIVE_MINUTE_SUM,
      }),
      threshold: 1,
      periods: 1,
    },
    {
      id: 'AnswersFail',
      anchor: 'answers-fail',
      meaning: 'The models do not answer, and people are told so.',
      metric: countLogLines(stack, 'AnswersFail', workers, {
        pattern: FilterPattern.all(failed, FilterPattern.any(...reasons)),
        every: QUARTER_HOUR_SUM,
      }),
      threshold: 3,
      periods: 1,
    },
  ];
}

function createLimitRules({ storage }: MonitoredResources): readonly AlarmRule[] {
  return [
    {
      id: 'FunctionsThrottled',
      anchor: 'functions-throttled',
      meaning: 'The account has reached its limit of concurrent functions in this region.',
      // Over all functions, because the limit applies to the account.
      metric: Lambda.metricAllThrottles(FIVE_MINUTE_SUM),
      threshold: 10,
      periods: 2,
    },
    ...createThrottleRules('Conversations', storage.conversations),
    ...createThrottleRules('Tokens', storage.tokens),
  ];
}

/** A table that was never throttled has no data. */
const createThrottleRules = (name: 'Conversations' | 'Tokens', table: TableV2): readonly AlarmRule[] =>
  (['Read', 'Write'] as const).map((kind) => ({
    id: `${name}${kind}Throttled`,
    anchor: 'tables-throttled',
    part: `${name}-${kind}`.toLowerCase(),
    meaning: `The table ${name.toLowerCase()} is ${kind === 'Read' ? 'read' : 'written'} faster than its maximum throughput allows.`,
    metric: table.metric(`${kind}ThrottleEvents`, FIVE_MINUTE_SUM),
    threshold: 10,
    periods: 2,
  }));

/**
 * The time from a question to the first words of its answer, all waits included. Evaluated however few answers there are: with `ignore`, a p99 would need a
 * thousand (CloudWatch, "Percentile-based alarms and low data samples"). Two periods, so that one slow answer of a quiet hour raises nothing.
 */
function createLatencyRules(stack: Stack): readonly AlarmRule[] {
  const firstWord = (statistic: string) =>
    createOwnMetric(stack, 'FirstWord', statistic, { period: QUARTER_HOUR_SUM.period });
  return [
    {
      id: 'FirstWordSlow',
      anchor: 'first-word-slow',
      meaning: 'One answer of a hundred starts after a minute or more.',
      metric: firstWord('p99'),
      threshold: 60_000,
      periods: 2,
    },
    {
      id: 'FirstWordMostlySlow',
      anchor: 'first-word-mostly-slow',
      meaning: 'Half of all answers start after ten seconds or more.',
      metric: firstWord('p50'),
      threshold: 10_000,
      periods: 2,
    },
  ];
}
