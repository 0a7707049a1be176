import type { SQSHandler } from 'aws-lambda';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { readWorkerConfig } from '../shared/runtime/index.ts';
import { startWatchdog } from '../shared/task-queue/index.ts';
import { createLargeFiles, serveIsolated, createTaskWorker } from './composition/index.ts';

// See `worker.ts`.
if (isMainThread) void startWatchdog(join(__dirname, 'watchdog-thread.js'));

// Bundled beside the function; see infra/cdk/stack.ts.
const worker = createTaskWorker(readWorkerConfig(), createLargeFiles(join(__dirname, 'pdf-thread.js')));

/** Handles tasks that may crash or are too large for `worker`, each alone in its process. They keep their order in the thread. */
export const handler: SQSHandler = (event, context) => serveIsolated(event, context, worker);
