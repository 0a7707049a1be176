export { type ProcessContext, type WorkerContext, dispatchTask, OTHER_VERSION } from './dispatch-task.ts';
export { type DeadLetterContext, handleDeadLetter } from './handle-dead-letter.ts';
export { refuseLateWrites } from './refuse-late-writes.ts';
export { requeueStuckTasks, type SweepContext } from './requeue-stuck-tasks.ts';
