import { type Attempts, type AttemptsStore, isExhausted, mayHaveCrashed, NO_ATTEMPTS } from './attempts.ts';
import type { TaskMessage } from './message.ts';

/** A message with what became of it before. */
export type Task = { readonly message: TaskMessage; readonly attempts: Attempts };

/** Whether the task may have killed a process, and is to be tried once more. */
export const isSuspect = ({ message, attempts }: Task, now: number): boolean =>
  mayHaveCrashed(message, attempts) && !isExhausted(attempts, now);

/** Looks up what became of messages before. Only those that come again cost a read. Never rejects. */
export function withAttempts(
  messages: readonly TaskMessage[],
  store: Pick<AttemptsStore, 'read'>,
): Promise<readonly Task[]> {
  return Promise.all(
    messages.map(async (message) => {
      if (message.receives === 1) return { message, attempts: NO_ATTEMPTS };
      // Not readable: it counts as one that may have crashed, which is the safe side.
      return { message, attempts: await store.read(message).catch(() => NO_ATTEMPTS) };
    }),
  );
}
