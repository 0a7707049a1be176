export { serveAlone } from './alone.ts';
export type { AttemptDeps, QueuePort, Serve } from './attempt.ts';
export { type Attempts, type AttemptsStore, MAX_CRASHES, MAX_FAILURES, type Patience } from './attempts.ts';
export { isolatedMessage, readIsolated } from './isolated.ts';
export type { TaskMessage } from './message.ts';
export { type ServiceDeps, TaskService } from './service.ts';
export { MAX_HIDDEN_SECONDS } from './visibility.ts';
export { startWatchdog } from './watchdog.ts';
export { type Refill, TaskWorker, type WorkerDeps } from './worker.ts';
