import { type AskTask, type IncomingMessage, threadKey, type TurnRef } from '../conversation/index.ts';
import type { Queue } from '../runtime/queue.ts';
import type { Clock } from '../runtime/time.ts';
import type { Turns } from '../store/index.ts';

export type ReceiveDeps = {
  readonly turns: Pick<Turns, 'knows' | 'accept' | 'markUnsent'>;
  readonly queue: Queue;
  readonly now: Clock;
};

/** How long after a failed hand-over the sweeper tries; by then the platform's own first retries have had their turn. */
const UNSENT_AFTER_MS = 90_000;

/**
 * Takes a message in: one record in the table, one task on the queue, in this order. If it rejects, the platform has to
 * deliver the message again, and may: what is done already is not done twice.
 */
export async function receive(message: IncomingMessage, deps: ReceiveDeps): Promise<'queued' | 'ignored'> {
  if (message.addressed === 'if-member' && !(await deps.turns.knows(message.thread))) return 'ignored';

  const turn: TurnRef = {
    thread: message.thread,
    message: message.id,
    asker: message.author,
    askerWorkspace: message.authorWorkspace,
  };
  await deps.turns.accept(turn);
  try {
    // Sent even if the record was there before: it does not tell whether the task reached the queue that time.
    await ask(turn, message.text, deps);
  } catch (error) {
    await deps.turns.markUnsent(turn, message.text, deps.now() + UNSENT_AFTER_MS).catch(() => undefined);
    throw error;
  }
  return 'queued';
}

/** Puts a question on the queue: in line with its thread, and once, however often it is sent within five minutes. */
export async function ask(
  turn: TurnRef,
  question: string,
  deps: Pick<ReceiveDeps, 'queue' | 'now'>,
): Promise<void> {
  const task: AskTask = { v: 1, kind: 'ask', ...turn, question, attachments: [], receivedAt: deps.now() };
  const group = threadKey(turn.thread);
  await deps.queue.send(JSON.stringify(task), group, `ask#${group}#${turn.message}`);
}
