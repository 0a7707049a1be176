import type { FillContext } from '../../shared/privacy/index.ts';
import type { SweepContext } from '../../shared/worker/index.ts';
import { type readSweeperConfig, systemTime } from '../../shared/runtime/index.ts';
import { createSqsQueue } from '../../shared/aws/index.ts';
import { PersonIndex, ScanLease, Schedules } from '../../shared/storage/index.ts';
import { getDynamo } from './dynamo.ts';
import { createSdkScan, useAwsSdk } from './process/sdk-dynamo.ts';
import { createAwsClient, createJobs, createLog, createTurns } from './worker.ts';

type Config = ReturnType<typeof readSweeperConfig>;

/** Builds the context of the job that enqueues stuck tasks again. */
export function createSweepContext(config: Config): SweepContext {
  useAwsSdk(config);
  const aws = createAwsClient(config);
  return {
    turns: createTurns(config),
    jobs: createJobs(config),
    schedules: new Schedules({
      dynamo: getDynamo(config),
      table: config.conversationsTable,
      now: systemTime.now,
    }),
    queue: createSqsQueue(config.taskQueueUrl, aws),
    transcriptionQueue: createSqsQueue(config.voiceQueueUrl, aws),
    now: systemTime.now,
    log: createLog(config).warn,
  };
}

/** Builds the context of the job that fills the person index. */
export function fillContext(config: Config): FillContext {
  const store = {
    dynamo: getDynamo(config),
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
    log: createLog(config).info,
  };
}
