import type { Stack } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import { counted, five, measured, oldest, quarter, type Rule } from './alarm-rule.ts';
import type { Api } from '../api/api.ts';
import { canaryRule } from './canary.ts';
import { frontRules } from '../api/front-rules.ts';
import type { LambdaFunction } from '../lambda-function.ts';
import type { Messaging } from '../messaging.ts';
import type { RelayTask } from '../containers/relay.ts';
import type { Storage } from '../storage.ts';
import type { WorkerService } from '../containers/worker-service.ts';

/** What is watched. */
export type Watched = {
  readonly api: Api;
  readonly messaging: Messaging;
  readonly storage: Storage;
  readonly worker: LambdaFunction;
  readonly largeWorker: LambdaFunction;
  readonly transcriber: LambdaFunction;
  readonly deadLetters: LambdaFunction;
  readonly sweeper: LambdaFunction;
  /** Where the worker is a container. */
  readonly workerService?: WorkerService | undefined;
  readonly relay?: RelayTask | undefined;
  readonly canary?: LambdaFunction | undefined;
};

/** Why answers fail for everybody, rather than for one question, person or busy minute: reasons of `answer.failed`. */
const FOR_ALL = ['quota', 'not-found', 'unknown-model', 'server', 'connection', 'timeout', 'malformed'];

/** One for each way in which people stop getting answers. */
export function rulesOf(stack: Stack, on: Watched): readonly Rule[] {
  return [
    ...tasks(on),
    ...frontRules(stack, on.api),
    ...sweeping(stack, on),
    ...recordings(on),
    ...models(stack, on),
    ...limits(on),
    ...relays(stack, on),
    ...waits(stack),
    ...(on.canary ? [canaryRule(on.canary)] : []),
  ];
}

function tasks({ messaging, worker, largeWorker, workerService, deadLetters }: Watched): readonly Rule[] {
  return [
    ...(workerService ? [workerGone(workerService)] : []),
    {
      id: 'TaskDied',
      anchor: 'task-died',
      meaning:
        'A task failed too often or killed its process. A question gets a failure notice; a change is retried.',
      // Not a count of messages: they are taken from the queue within seconds.
      metric: deadLetters.lambda.metricInvocations(five),
      from: 1,
      periods: 1,
    },
    {
      id: 'DeadLetterStuck',
      anchor: 'dead-letter-stuck',
      meaning: 'A task failed for good, and the person could not be told.',
      metric: messaging.dead.metricApproximateAgeOfOldestMessage(oldest),
      from: 900,
      periods: 1,
    },
    {
      id: 'WorkerFails',
      anchor: 'worker-fails',
      meaning: 'A worker crashed or timed out.',
      metric: new MathExpression({
        // Measured only while it is called.
        expression: 'FILL(shared, 0) + FILL(alone, 0)',
        usingMetrics: {
          shared: worker.lambda.metricErrors(five),
          alone: largeWorker.lambda.metricErrors(five),
        },
        label: 'failed',
        period: five.period,
      }),
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
  ];
}

const workerGone = ({ running }: WorkerService): Rule => ({
  id: 'WorkerGone',
  anchor: 'worker-gone',
  meaning: 'No worker container runs: questions wait.',
  metric: running,
  from: 1,
  periods: 2,
  whenMissing: true,
});

/** Errors alone would not tell of a schedule that is gone. */
function sweeping(stack: Stack, { sweeper }: Watched): readonly Rule[] {
  const runs: Rule = {
    id: 'SweeperFails',
    anchor: 'sweeper-fails',
    meaning: 'The sweeper has not completed a run for ten minutes: stuck tasks are not found.',
    metric: new MathExpression({
      expression: 'called - failed',
      usingMetrics: {
        called: sweeper.lambda.metricInvocations(five),
        failed: sweeper.lambda.metricErrors(five),
      },
      label: 'runs',
      period: five.period,
    }),
    from: 1,
    periods: 2,
    whenMissing: true,
  };
  const items: Rule = {
    id: 'SweepItemsFail',
    anchor: 'sweep-items-fail',
    meaning: 'Stuck tasks cannot be queued: each is retried for six hours, then given up.',
    metric: counted(stack, 'SweepItemsFail', [sweeper.lambda.logGroup], {
      pattern: FilterPattern.all(FilterPattern.stringValue('$.event', '=', 'sweep.failed')),
      every: quarter,
    }),
    from: 3,
    periods: 1,
  };
  return [runs, items];
}

function recordings({ messaging, transcriber }: Watched): readonly Rule[] {
  return [
    {
      id: 'TranscriberFails',
      anchor: 'transcriber-fails',
      meaning: 'The transcriber crashed or timed out.',
      metric: transcriber.lambda.metricErrors(five),
      from: 3,
      periods: 1,
    },
    {
      id: 'RecordingsWait',
      anchor: 'recordings-wait',
      meaning: 'The oldest recording has waited for half an hour. After a day it is dropped.',
      metric: messaging.voice.metricApproximateAgeOfOldestMessage(oldest),
      from: 1_800,
      periods: 5,
    },
  ];
}

/** Whoever runs the deployment owns its keys, and its account with the models: nobody else can mend these. */
function models(stack: Stack, { worker, largeWorker, transcriber }: Watched): readonly Rule[] {
  const workers = [worker.lambda.logGroup, largeWorker.lambda.logGroup];
  const failed = FilterPattern.stringValue('$.event', '=', 'answer.failed');
  const reasons = FOR_ALL.map((reason) => FilterPattern.stringValue('$.reason', '=', reason));
  return [
    {
      id: 'KeyRefused',
      anchor: 'key-refused',
      meaning: 'The models rejected an API key of the deployment, even after its secret was read again.',
      metric: counted(stack, 'KeyRefused', [...workers, transcriber.lambda.logGroup], {
        pattern: FilterPattern.stringValue('$.event', '=', 'key.refused'),
        every: five,
      }),
      from: 1,
      periods: 1,
    },
    {
      id: 'AnswersFail',
      anchor: 'answers-fail',
      meaning: 'The models do not answer, and people are told so.',
      metric: counted(stack, 'AnswersFail', workers, {
        pattern: FilterPattern.all(failed, FilterPattern.any(...reasons)),
        every: quarter,
      }),
      from: 3,
      periods: 1,
    },
  ];
}

function limits({ storage: { conversations, tokens } }: Watched): readonly Rule[] {
  return [
    {
      id: 'FunctionsThrottled',
      anchor: 'functions-throttled',
      meaning: 'The account has reached its limit of concurrent functions in this region.',
      // Of all functions: it is the account that has the limit.
      metric: Lambda.metricAllThrottles(five),
      from: 10,
      periods: 2,
    },
    {
      id: 'TablesThrottled',
      anchor: 'tables-throttled',
      meaning: 'A table is read or written faster than its ceiling allows.',
      metric: new MathExpression({
        // Measured only while there are some.
        expression: 'FILL(a, 0) + FILL(b, 0) + FILL(c, 0) + FILL(d, 0)',
        usingMetrics: {
          a: conversations.metric('ReadThrottleEvents', five),
          b: conversations.metric('WriteThrottleEvents', five),
          c: tokens.metric('ReadThrottleEvents', five),
          d: tokens.metric('WriteThrottleEvents', five),
        },
        label: 'throttled',
        period: five.period,
      }),
      from: 10,
      periods: 2,
    },
  ];
}

/** What people wait for most: from their question to the first words, all waits included. */
function waits(stack: Stack): readonly Rule[] {
  const firstWord = (statistic: string) =>
    measured(stack, 'FirstWord', statistic, { period: quarter.period });
  return [
    {
      id: 'FirstWordSlow',
      anchor: 'first-word-slow',
      meaning: 'One answer of a hundred starts after a minute or more.',
      metric: firstWord('p99'),
      from: 60_000,
      periods: 2,
      isPercentile: true,
    },
    {
      id: 'FirstWordMostlySlow',
      anchor: 'first-word-mostly-slow',
      meaning: 'Half of all answers start after ten seconds or more.',
      metric: firstWord('p50'),
      from: 10_000,
      periods: 1,
      isPercentile: true,
    },
  ];
}

function relays(stack: Stack, { relay }: Watched): readonly Rule[] {
  if (!relay) return [];
  return [
    {
      id: 'RelayStopped',
      anchor: 'relay-stopped',
      meaning: 'The Discord relay has stopped for good, or starts no session.',
      metric: relay.stopped,
      from: 1,
      periods: 1,
    },
    {
      id: 'RelayGone',
      anchor: 'relay-gone',
      meaning: 'No task of the relay runs: mentions and direct messages in Discord wait.',
      metric: relay.running,
      from: 1,
      periods: 2,
      whenMissing: true,
    },
    {
      id: 'RelaySilent',
      anchor: 'relay-silent',
      meaning: 'The relay may run, but Discord has acknowledged no heartbeat for ten minutes.',
      metric: measured(stack, 'RelayHeartbeat', 'Sum'),
      from: 1,
      periods: 2,
      whenMissing: true,
    },
  ];
}
