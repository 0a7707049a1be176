import type { FillContext } from '../../shared/privacy/index.ts';
import type { SweepContext } from '../../shared/worker/index.ts';
import { type sweeperConfig, systemTime } from '../../shared/runtime/index.ts';
import { sqsQueue } from '../../shared/aws/index.ts';
import { PersonIndex, ScanLease, Schedules } from '../../shared/storage/index.ts';
import { dynamoOf } from './dynamo.ts';
import { createSdkScan, useAwsSdk } from './process/sdk-dynamo.ts';
import { awsOf, jobsOf, logOf, turnsOf } from './worker.ts';

type Config = ReturnType<typeof sweeperConfig>;

/** Builds the context of the job that enqueues stuck tasks again. */
export function sweepContext(config: Config): SweepContext {
  useAwsSdk(config);
  const aws = awsOf(config);
  return {
    turns: turnsOf(config),
    jobs: jobsOf(config),
    schedules: new Schedules({
      dynamo: dynamoOf(config),
      table: config.conversationsTable,
      now: systemTime.now,
    }),
    queue: sqsQueue(config.taskQueueUrl, aws),
    transcriptionQueue: sqsQueue(config.voiceQueueUrl, aws),
    now: systemTime.now,
    log: logOf(config).warn,
  };
}

/** Builds the context of the job that fills the person index. */
export function fillContext(config: Config): FillContext {
  const store = {
    dynamo: dynamoOf(config),
    table: config.conversationsTable,
    now: systemTime.now,
  };
  const index = new PersonIndex(store);
  const scan = createSdkScan(config);
  return {
    personIndex: {
      isComplete: index.isComplete,
      state: () => index.state(),
      plan: (startAtMs) => index.plan(startAtMs),
      isQueryable: () => index.isQueryable(),
      save: (before, read, next) => index.save(before, read, next),
      fill: (from) => index.fill(scan, from),
    },
    scanLease: new ScanLease(store),
    time: systemTime,
    log: logOf(config).info,
  };
}
