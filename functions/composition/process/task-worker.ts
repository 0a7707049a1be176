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
import { sharingOf, taskQueueOf } from '../task-queues.ts';
import { preload } from './preload.ts';
import { segmentsOf } from './xray-segments.ts';
import { awsOf, logOf, workerContext } from '../worker.ts';

/** What a process needs to handle tasks, apart from the queue. */
export const taskWorkerContext = (config: WorkerConfig): ProcessContext =>
  workerContext(config, awsOf(config), { ...sharedFiles(), notePhases: noPhases });

/** How a process reads files, and its memory budget for them. */
type Files = Pick<WorkerContext, 'memory' | 'movesLarge' | 'pdf'>;

/** For a process with many tasks: small files share a memory budget. Larger files and PDFs are for the large worker. */
export const sharedFiles = (): Files => ({
  memory: new ByteBudget(TASKS.workerFilesMb * 1024 * 1024),
  movesLarge: true,
  pdf: noPdfReader,
});

/** For a process that handles one task at a time: it reads PDFs, in the thread of that file, and large files. */
export const largeFiles = (pdfThreadFile: string): Files => ({
  memory: new ByteBudget(TASKS.largeWorkerFilesMb * 1024 * 1024),
  movesLarge: false,
  pdf: createPdfReader({ entryFile: pdfThreadFile, ...systemTime }),
});

/**
 * What is needed to handle tasks, in a Lambda invocation or in a long-running process. `receiveWaitSeconds`: the long-poll
 * time for further messages.
 */
export function taskWorkerOf(config: WorkerConfig, files: Files, receiveWaitSeconds?: number) {
  const aws = awsOf(config);
  const segments = segmentsOf('worker', config, aws, logOf(config).info);
  const context = workerContext(config, aws, { ...files, notePhases: segments.note });
  const serve: TaskHandler = (body, delivery) =>
    segments.record(delivery.trace, () => dispatchTask(body, context, delivery));
  const queue = taskQueueOf(config.taskQueueUrl, TASKS, config, aws);
  return {
    ...queue,
    ...sharingOf(config, aws, receiveWaitSeconds),
    serve,
    refuseLateWrites: (message: TaskMessage) => refuseLateWrites(message, context),
    preload: () => preload(context),
  };
}
