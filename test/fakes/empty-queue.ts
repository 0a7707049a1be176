import type { ShowMessage } from '../../shared/aws/sqs-queue.ts';

/** For a queue on which nothing waits. */
export const EMPTY_QUEUE: ShowMessage = () => Promise.resolve();
