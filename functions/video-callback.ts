import { createAwsCall, sqsQueue } from '../shared/aws/index.ts';
import { callbackConfig, logger } from '../shared/runtime/index.ts';
import { fetchDynamo, Jobs } from '../shared/storage/index.ts';
import { videoCallback } from './composition/index.ts';

const config = callbackConfig();
const { conversationsTable: table, historyDays: days } = config;
const aws = createAwsCall(config.aws);
const now = Date.now;

/** `POST /callbacks/video/{job}/{secret}`: the callback of the vision service. */
export const handler = videoCallback({
  jobs: new Jobs({ dynamo: fetchDynamo(aws), table, days, now }),
  queue: sqsQueue(config.taskQueueUrl, aws),
  now,
  log: logger(config.logLevel, (line) => process.stdout.write(`${line}\n`), now).warn,
});
