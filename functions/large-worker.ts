import type { SQSHandler } from 'aws-lambda';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { createPdfReader } from '../shared/documents/index.ts';
import { ByteBudget } from '../shared/runtime/byte-budget.ts';
import { workerConfig } from '../shared/runtime/config/config.ts';
import { TASKS } from '../shared/runtime/shared-names.ts';
import { systemTime } from '../shared/runtime/time.ts';
import { startWatchdog } from '../shared/task-queue/index.ts';
import { serveIsolated } from './composition/process/sqs-batch.ts';
import { taskWorkerOf } from './composition/process/task-worker.ts';

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
