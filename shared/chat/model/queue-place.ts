import type { ChatContext } from '../context.ts';
import { threadKey, type TurnRef } from '../../domain/index.ts';
import { localize } from '../../i18n/index.ts';
import { resolveTurnLocale } from '../../settings/index.ts';
import type { QueueDelivery, TaskResult } from '../../context/index.ts';
import type { RequestPermits } from '../../ports/index.ts';
import { permitHolder, MAX_STAY_MS } from './wait-for-permit.ts';
import { queueStatusText } from '../display/queue-status.ts';

/** A question is delivered again so long before its turn: a worker has to take it, claim it and read the past. */
const RETURN_EARLY_MS = 2_000;
/**
 * A question that waits is looked at after a third of what is left, within these bounds: its turn moves, and people stop, edit and delete
 * questions. Slack drops a status after two minutes.
 */
const AWAY_PART = 1 / 3;
const MIN_AWAY_MS = 15_000;
const MAX_AWAY_MS = 90_000;

/** A task that waits in the queue of a key, and whose turn is so far away. */
export function returnToQueue(queueWaitMs: number): Extract<TaskResult, { kind: 'later' }> {
  const untilTurn = Math.max(0, queueWaitMs - RETURN_EARLY_MS);
  const nextLook = Math.min(MAX_AWAY_MS, Math.max(MIN_AWAY_MS, queueWaitMs * AWAY_PART));
  // A look shortly before the turn would only be followed by a wait in the worker.
  const afterMs = untilTurn <= 2 * MIN_AWAY_MS ? untilTurn : nextLook;
  return { kind: 'later', afterMs, queueWaitMs: queueWaitMs };
}

/** Under which name the question of a turn waits, in whichever worker. */
export const waitIdOf = ({ thread, message }: Pick<TurnRef, 'thread' | 'message'>): string =>
  `${threadKey(thread)}#${message}`;

/** Gives up the position that the question of a turn may have in the wait queue of a key: others come sooner. Never rejects. */
export async function leaveQueue(
  turn: TurnRef,
  { permits }: { readonly permits: Pick<RequestPermits, 'withdraw'> },
): Promise<void> {
  const { home } = permitHolder(turn.thread, turn.asker);
  await permits.withdraw({ id: waitIdOf(turn), home });
}

/**
 * Looks after a question that comes back from the queue of tasks. If its turn to ask the model is still more than a few seconds away and nobody
 * did anything to it, whoever asked is told how it stands, and it goes back at once: nothing is claimed, read or fetched for it. Never rejects.
 */
export async function isStillQueued(
  turn: TurnRef,
  context: Pick<ChatContext, 'permits' | 'signals' | 'platform' | 'settings' | 'time'> &
    Parameters<typeof resolveTurnLocale>[1],
  { isRedelivery: again, isLast: last }: QueueDelivery,
): Promise<TaskResult | undefined> {
  if (!again || last) return undefined;
  const { permits, signals, platform, time, settings } = context;
  try {
    const { home } = permitHolder(turn.thread, turn.asker);
    const stands = await permits.find({ id: waitIdOf(turn), home });
    if (!stands || stands.waitMs <= MAX_STAY_MS) return undefined;
    const { marked } = await signals.poll(turn);
    if (marked) return undefined;
    const { waitMs, ahead } = stands;
    const words = queueStatusText(waitMs, { ahead, now: time.now(), zone: settings.zone });
    await platform.showStatus(turn, localize(await resolveTurnLocale(turn, context), ...words), 'waiting');
    return returnToQueue(waitMs);
  } catch {
    return undefined;
  }
}
