import type { SQSHandler } from 'aws-lambda';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { workerConfig } from '../shared/runtime/config/config.ts';
import { startWatchdog } from '../shared/task-queue/index.ts';
import { serveBatch } from './composition/process/sqs-batch.ts';
import { rehearse } from './composition/process/warm-up.ts';
import { sharedFiles, taskWorkerOf } from './composition/process/task-worker.ts';

// While Lambda starts the function, when it has a whole processor. The local engine runs functions in threads of one process, which is not to be killed.
if (isMainThread) void startWatchdog(join(__dirname, 'watchdog-thread.js'));

const config = workerConfig();
const worker = taskWorkerOf(config, sharedFiles());

/** Lambda waits for it: see `start.mjs` in infra/cdk/lambda-function.ts. */
export const ready = isMainThread ? rehearse(config) : Promise.resolve();

/** Takes tasks from the queue and does them, many at a time; what may crash or is too large goes to `large-worker` by a queue of its own. */
export const handler: SQSHandler = (event, context) => serveBatch(event, context, worker);
