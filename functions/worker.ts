import type { SQSHandler } from 'aws-lambda';
import { work } from '../shared/flows/index.ts';
import { workerConfig } from '../shared/runtime/config.ts';
import { TASKS } from '../shared/runtime/names.ts';
import type { WorkerDeps } from '../shared/task-queue/index.ts';
import { serveBatch } from './batch.ts';
import { taskQueueOf } from './task-queues.ts';
import { awsOf, workerDeps } from './wiring.ts';

const config = workerConfig();
const aws = awsOf(config);
const deps = workerDeps(config, aws);
const worker: WorkerDeps = {
  ...taskQueueOf(config.taskQueueUrl, TASKS, config, aws),
  serve: (body, delivery) => work(body, deps, delivery),
};

/** Takes tasks from the queue and does them. */
export const handler: SQSHandler = (event, context) => serveBatch(event, context, worker);
