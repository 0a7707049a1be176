import type { SQSHandler } from 'aws-lambda';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { workerConfig } from '../shared/runtime/config.ts';
import { startWatchdog } from '../shared/task-queue/index.ts';
import { serveBatch, serveIsolated } from './batch.ts';
import { taskWorkerOf } from './task-worker.ts';

// While Lambda starts the function, when it has a whole processor. The local engine runs functions in threads of one process, which is not to be killed.
if (isMainThread) void startWatchdog(join(__dirname, 'watchdog-thread.js'));

const config = workerConfig();
const worker = taskWorkerOf(config);

/** Takes tasks from the queue and does them; what may crash comes by a queue of its own. */
export const handler: SQSHandler = (event, context) => {
  const isolated = event.Records[0]?.eventSourceARN.endsWith(`:${config.isolatedQueue}`);
  return isolated ? serveIsolated(event, context, worker) : serveBatch(event, context, worker);
};
