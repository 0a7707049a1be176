import type { SQSHandler } from 'aws-lambda';
import { type Delivery, work } from '../shared/flows/index.ts';
import { workerConfig } from '../shared/runtime/config.ts';
import { TASKS } from '../shared/runtime/names.ts';
import { serveBatch, serveIsolated } from './batch.ts';
import { sharingOf, taskQueueOf } from './task-queues.ts';
import { awsOf, workerDeps } from './wiring.ts';

const config = workerConfig();
const aws = awsOf(config);
const deps = workerDeps(config, aws);
const worker = {
  ...taskQueueOf(config.taskQueueUrl, TASKS, config, aws),
  ...sharingOf(config, aws),
  serve: (body: string, delivery: Delivery) => work(body, deps, delivery),
};

/** Takes tasks from the queue and does them; what may crash comes by a queue of its own. */
export const handler: SQSHandler = (event, context) => {
  const isolated = event.Records[0]?.eventSourceARN.endsWith(`:${config.isolatedQueue}`);
  return isolated ? serveIsolated(event, context, worker) : serveBatch(event, context, worker);
};
