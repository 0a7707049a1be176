import { type Attempts, type AttemptsStore, isExhausted, mayHaveCrashed, NO_ATTEMPTS } from './attempts.ts';
import type { TaskMessage } from './message.ts';

/** A message with its earlier attempts. */
export type ReceivedTask = { readonly message: TaskMessage; readonly attempts: Attempts };

/** Whether the task may have crashed a process and should run once more. */
export const isSuspect = ({ message, attempts }: ReceivedTask, now: number): boolean =>
  mayHaveCrashed(message, attempts) && !isExhausted(attempts, now);

/** Loads the earlier attempts of messages. Costs a read only for redelivered messages. Never rejects. */
export function loadAttempts(
  messages: readonly TaskMessage[],
  store: Pick<AttemptsStore, 'read'>,
): Promise<readonly ReceivedTask[]> {
  return Promise.all(
    messages.map(async (message) => {
      if (message.receives === 1) return { message, attempts: NO_ATTEMPTS };
      // Unknown attempts count as a possible crash, which is the safe choice.
      return { message, attempts: await store.read(message).catch(() => NO_ATTEMPTS) };
    }),
  );
}
