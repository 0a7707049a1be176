export { dispatchTask, OTHER_VERSION } from './dispatch-task.ts';
export { handleDeadLetter } from './handle-dead-letter.ts';
export { refuseLateWrites } from './refuse-late-writes.ts';
export { requeueStuckTasks } from './requeue-stuck-tasks.ts';
