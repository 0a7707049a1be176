import { createAwsCall } from '../shared/aws/aws-request.ts';
import { callbackConfig } from '../shared/runtime/config/config.ts';
import { logger } from '../shared/runtime/log.ts';
import { sqsQueue } from '../shared/aws/sqs-queue.ts';
import { fetchDynamo } from '../shared/storage/dynamodb/fetch-client.ts';
import { Jobs } from '../shared/storage/jobs/jobs.ts';
import { videoCallback } from './composition/video/video-callback.ts';

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
