export { serveIsolatedMessage } from './isolated-worker.ts';
export {
  type AttemptDeps,
  type QueuePort,
  type TaskHandler,
  type Attempts,
  type AttemptsStore,
  MAX_CRASHES,
  MAX_FAILURES,
  type AttemptLimits,
} from './attempt-runner.ts';
export { serializeIsolated, parseIsolated, type TaskMessage } from './message.ts';
export { type ServiceDeps, TaskService } from './task-service.ts';
export { MAX_HIDDEN_SECONDS } from './visibility.ts';
export { startWatchdog } from './watchdog.ts';
export { type Refill, TaskWorker, type WorkerDeps } from './task-worker.ts';
export { enqueueDeletion, enqueueQuestion, enqueueReindex, enqueueTask } from './enqueue.ts';
