export { type Attempts, type AttemptsStore, MAX_CRASHES, MAX_FAILURES, type Patience } from './attempts.ts';
export type { TaskMessage } from './message.ts';
export { type QueuePort, type Serve, TaskWorker, type WorkerDeps } from './worker.ts';
export { EXTEND_EVERY_MS, MAX_HIDDEN_SECONDS } from './visibility.ts';
