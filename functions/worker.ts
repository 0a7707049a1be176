import type { SQSHandler } from 'aws-lambda';
import { work } from '../shared/flows/index.ts';
import { workerConfig } from '../shared/runtime/config.ts';
import { changeVisibility, removeMessage } from '../shared/runtime/queue.ts';
import { serveBatch } from './batch.ts';
import { awsOf, logOf, workerDeps } from './wiring.ts';

const config = workerConfig();
const aws = awsOf(config);
const deps = workerDeps(config, aws);
const batch = {
  serve: (body: string, delivery: Parameters<typeof work>[2]) => work(body, deps, delivery),
  hide: changeVisibility(config.taskQueueUrl, aws),
  remove: removeMessage(config.taskQueueUrl, aws),
  time: deps.time,
  log: logOf(config).warn,
};

/** Takes tasks from the queue and does them. */
export const handler: SQSHandler = (event, context) => serveBatch(event, context, batch);
