import type { SQSHandler } from 'aws-lambda';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { type Delivery, work } from '../shared/flows/index.ts';
import { workerConfig } from '../shared/runtime/config.ts';
import { TASKS } from '../shared/runtime/names.ts';
import { inTrace } from '../shared/runtime/task-trace.ts';
import { startWatchdog } from '../shared/task-queue/index.ts';
import { serveBatch, serveIsolated } from './batch.ts';
import { sharingOf, taskQueueOf } from './task-queues.ts';
import { awsOf, workerDeps } from './wiring.ts';

// While Lambda starts the function, when it has a whole processor. The local engine runs functions in threads of one process, which is not to be killed.
if (isMainThread) void startWatchdog(join(__dirname, 'watchdog-thread.js'));

const config = workerConfig();
const aws = awsOf(config);
const deps = workerDeps(config, aws);
const worker = {
  ...taskQueueOf(config.taskQueueUrl, TASKS, config, aws),
  ...sharingOf(config, aws),
  serve: (body: string, delivery: Delivery) => inTrace(delivery.trace, () => work(body, deps, delivery)),
};

/** Takes tasks from the queue and does them; what may crash comes by a queue of its own. */
export const handler: SQSHandler = (event, context) => {
  const isolated = event.Records[0]?.eventSourceARN.endsWith(`:${config.isolatedQueue}`);
  return isolated ? serveIsolated(event, context, worker) : serveBatch(event, context, worker);
};
