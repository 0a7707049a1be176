import { awsCaller } from '../shared/runtime/aws-request.ts';
import { callbackConfig } from '../shared/runtime/config.ts';
import { logger } from '../shared/runtime/log.ts';
import { sqsQueue } from '../shared/runtime/queue.ts';
import { dynamoLight } from '../shared/store/dynamo-light.ts';
import { Jobs } from '../shared/store/jobs.ts';
import { videoCallback } from './callback.ts';

const config = callbackConfig();
const { conversationsTable: table, historyDays: days } = config;
const aws = awsCaller(config.aws);
const now = Date.now;

/** `POST /callbacks/video/{job}/{secret}`: what the vision service posts to. */
export const handler = videoCallback({
  jobs: new Jobs({ dynamo: dynamoLight(aws), table, days, now }),
  queue: sqsQueue(config.taskQueueUrl, aws),
  now,
  log: logger(config.logLevel, (line) => process.stdout.write(`${line}\n`), now).warn,
});
