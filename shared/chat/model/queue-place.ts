import type { ChatContext } from '../context.ts';
import { threadKey, type TurnRef, type QueueDelivery, type TaskResult } from '../../domain/index.ts';
import { localize } from '../../i18n/index.ts';
import { resolveTurnLocale } from '../../settings/index.ts';
import type { RequestPermits } from '../../ports/index.ts';
import { permitHolder, MAX_IN_WORKER_WAIT_MS } from './wait-for-permit.ts';
import { queueStatusText } from '../display/queue-status.ts';

/** A question returns this long before its turn, so that a worker can claim it and read the history. */
const RETURN_EARLY_MS = 2_000;
/**
 * A waiting question is checked after a third of the remaining time, within these bounds: its position changes, and people
 * stop, edit and delete questions. Slack clears a status after two minutes.
 */
const RECHECK_FRACTION = 1 / 3;
const MIN_RECHECK_MS = 15_000;
const MAX_RECHECK_MS = 90_000;

/** Returns the delay of a task that waits `queueWaitMs` in the wait queue of a key. */
export function returnToQueue(queueWaitMs: number): Extract<TaskResult, { kind: 'later' }> {
  const untilTurn = Math.max(0, queueWaitMs - RETURN_EARLY_MS);
  const recheckMs = Math.min(MAX_RECHECK_MS, Math.max(MIN_RECHECK_MS, queueWaitMs * RECHECK_FRACTION));
  // A check shortly before the turn would only wait in the worker.
  const afterMs = untilTurn <= 2 * MIN_RECHECK_MS ? untilTurn : recheckMs;
  return { kind: 'later', afterMs, queueWaitMs };
}

/** The wait queue id of a question, the same in every worker. */
export const waitIdOf = ({ thread, message }: Pick<TurnRef, 'thread' | 'message'>): string =>
  `${threadKey(thread)}#${message}`;

/** Removes a question from the wait queue of a key, so that others come sooner. Never rejects. */
export async function leaveQueue(
  turn: TurnRef,
  { permits }: { readonly permits: Pick<RequestPermits, 'withdraw'> },
): Promise<void> {
  const { home } = permitHolder(turn.thread, turn.asker);
  await permits.withdraw({ id: waitIdOf(turn), home });
}

/**
 * Checks a redelivered question before it is claimed. If its turn is more than a few seconds away and there is no signal,
 * updates the status and returns it to the queue. Never rejects.
 */
export async function isStillQueued(
  turn: TurnRef,
  context: Pick<ChatContext, 'permits' | 'signals' | 'platform' | 'settings' | 'time'> &
    Parameters<typeof resolveTurnLocale>[1],
  { isRedelivery, isLast }: QueueDelivery,
): Promise<TaskResult | undefined> {
  if (!isRedelivery || isLast) return undefined;
  const { permits, signals, platform, time, settings } = context;
  try {
    const { home } = permitHolder(turn.thread, turn.asker);
    const position = await permits.find({ id: waitIdOf(turn), home });
    if (!position || position.waitMs <= MAX_IN_WORKER_WAIT_MS) return undefined;
    const { marked } = await signals.poll(turn);
    if (marked) return undefined;
    const { waitMs, ahead } = position;
    const status = queueStatusText(waitMs, { ahead, now: time.now(), zone: settings.zone });
    await platform.showStatus(turn, localize(await resolveTurnLocale(turn, context), ...status), 'waiting');
    return returnToQueue(waitMs);
  } catch {
    return undefined;
  }
}
