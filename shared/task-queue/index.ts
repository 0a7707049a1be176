export { serveIsolatedMessage } from './isolated-worker.ts';
export type { AttemptDeps, QueuePort, TaskHandler, AttemptLimits } from './attempt-runner.ts';
export { serializeIsolated, parseIsolated, type TaskMessage } from './message.ts';
export { TaskService } from './task-service.ts';
export { startWatchdog } from './watchdog.ts';
export { TaskWorker, type WorkerDeps } from './task-worker.ts';
export { enqueueDeletion, enqueueQuestion, enqueueReindex, enqueueTask } from './enqueue.ts';
export { enqueueNamedTask, shortenQueueId } from './long-ids.ts';
