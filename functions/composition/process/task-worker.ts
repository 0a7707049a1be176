import {
  type ProcessContext,
  type WorkerContext,
  refuseLateWrites,
  dispatchTask,
} from '../../../shared/worker/index.ts';
import { noPhases } from '../../../shared/aws/index.ts';
import { createPdfReader, noPdfReader } from '../../../shared/documents/index.ts';
import { ByteBudget, type WorkerConfig, TASKS, systemTime } from '../../../shared/runtime/index.ts';
import type { TaskHandler, TaskMessage } from '../../../shared/task-queue/index.ts';
import { createTaskSharing, createTaskQueue } from '../task-queues.ts';
import { preload } from './preload.ts';
import { createSegments } from './xray-segments.ts';
import { createAwsClient, createLog, createWorkerContext } from '../worker.ts';

/** What a process needs to handle tasks, apart from the queue. */
export const createTaskWorkerContext = (config: WorkerConfig): ProcessContext =>
  createWorkerContext(config, createAwsClient(config), { ...createSharedFiles(), notePhases: noPhases });

/** How a process reads files, and its memory budget for them. */
type Files = Pick<WorkerContext, 'memory' | 'movesLarge' | 'pdf'>;

/** For a process with many tasks: small files share a memory budget. Larger files and PDFs are for the large worker. */
export const createSharedFiles = (): Files => ({
  memory: new ByteBudget(TASKS.workerFilesMb * 1024 * 1024),
  movesLarge: true,
  pdf: noPdfReader,
});

/** For a process that handles one task at a time: it reads PDFs, in the thread of that file, and large files. */
export const createLargeFiles = (pdfThreadFile: string): Files => ({
  memory: new ByteBudget(TASKS.largeWorkerFilesMb * 1024 * 1024),
  movesLarge: false,
  pdf: createPdfReader({ entryFile: pdfThreadFile, ...systemTime }),
});

/**
 * What is needed to handle tasks, in a Lambda invocation or in a long-running process. `receiveWaitSeconds`: the long-poll
 * time for further messages.
 */
export function createTaskWorker(config: WorkerConfig, files: Files, receiveWaitSeconds?: number) {
  const aws = createAwsClient(config);
  const segments = createSegments('worker', config, aws, createLog(config).info);
  const context = createWorkerContext(config, aws, { ...files, notePhases: segments.note });
  const serve: TaskHandler = (body, delivery) =>
    segments.record(delivery.trace, () => dispatchTask(body, context, delivery));
  const queue = createTaskQueue(config.taskQueueUrl, TASKS, config, aws);
  return {
    ...queue,
    ...createTaskSharing(config, aws, receiveWaitSeconds),
    serve,
    refuseLateWrites: (message: TaskMessage) => refuseLateWrites(message, context),
    preload: () => preload(context),
  };
}
