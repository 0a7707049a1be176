import type { SQSHandler } from 'aws-lambda';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { readWorkerConfig } from '../shared/runtime/index.ts';
import { startWatchdog } from '../shared/task-queue/index.ts';
import { serveBatch, rehearse, createSharedFiles, createTaskWorker } from './composition/index.ts';

// Starts while Lambda initializes the function, with a whole processor. The local engine runs functions in threads of one process, which the watchdog must not kill.
if (isMainThread) void startWatchdog(join(__dirname, 'watchdog-thread.js'));

const config = readWorkerConfig();
const worker = createTaskWorker(config, createSharedFiles());

/** Lambda waits for this promise: see `start.mjs` in infra/cdk/lambda-function.ts. */
export const ready = isMainThread ? Promise.all([rehearse(config), worker.preload()]) : Promise.resolve();

/** Handles many tasks at a time. Those that may crash or are too large go to `large-worker` by a queue of its own. */
export const handler: SQSHandler = (event, context) => serveBatch(event, context, worker);
