import type { SQSHandler } from 'aws-lambda';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { createPdfReader } from '../shared/documents/index.ts';
import { ByteBudget, workerConfig, TASKS, systemTime } from '../shared/runtime/index.ts';
import { startWatchdog } from '../shared/task-queue/index.ts';
import { serveIsolated, taskWorkerOf } from './composition/index.ts';

// See `worker.ts`.
if (isMainThread) void startWatchdog(join(__dirname, 'watchdog-thread.js'));

const worker = taskWorkerOf(workerConfig(), {
  // Bundled beside the function; see infra/cdk/stack.ts.
  pdf: createPdfReader({ entryFile: join(__dirname, 'pdf-thread.js'), ...systemTime }),
  movesLarge: false,
  memory: new ByteBudget(TASKS.largeWorkerFilesMb * 1024 * 1024),
});

/** Handles tasks that may crash or are too large for `worker`, each alone in its process. They keep their order in the thread. */
export const handler: SQSHandler = (event, context) => serveIsolated(event, context, worker);
