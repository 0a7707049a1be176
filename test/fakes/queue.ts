import type { ShowMessage } from '../../shared/runtime/queue.ts';

/** For a queue on which nothing waits. */
export const NO_MESSAGES: ShowMessage = () => Promise.resolve();
