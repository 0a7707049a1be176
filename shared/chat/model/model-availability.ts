import type { ChatContext } from '../context.ts';
import { type TextMessage, formatClockTime } from '../../i18n/index.ts';
import { AllModelsBusyError } from '../../rate-limits/index.ts';
import { MAX_IN_WORKER_WAIT_MS, type PermitWait } from './wait-for-permit.ts';

/** Polling interval of the breakers: another request may have found out that the model has capacity again. */
const POLL_INTERVAL_MS = 500;
/** Shorter waits are shown without a number of seconds. */
const MIN_COUNTDOWN_MS = 3_000;
/** Shorter waits are not shown, unless they are counted down. */
const MIN_SHOWN_WAIT_MS = 1_000;
/** The status is updated this often. */
const UPDATE_INTERVAL_MS = 5_000;
/** Longer waits are shown as a time of day. */
const MAX_WAIT_IN_SECONDS_MS = 90_000;

export type ModelAvailabilityContext = Pick<ChatContext, 'breakers' | 'time' | 'settings'>;

/**
 * Waits until the breaker of one of these models lets a request pass, and shows the wait. Rejects with
 * AllModelsBusyError if that takes until after the deadline, or longer than the worker waits if the task
 * can return to the queue. Rejects with the reason of the signal.
 */
export async function waitUntilAvailable(
  models: readonly string[],
  deadlineMs: number,
  {
    context,
    thinking,
    signal,
    canRequeue = false,
  }: Pick<PermitWait, 'thinking' | 'signal' | 'canRequeue'> & { readonly context: ModelAvailabilityContext },
): Promise<{ readonly waited: boolean }> {
  const { breakers, time, settings } = context;
  if (models.length === 0) return { waited: false };
  const startedAt = time.now();
  let shownAt = -Infinity;
  for (;;) {
    signal.throwIfAborted();
    const waits = await Promise.all(models.map((model) => breakers.waitMs(model)));
    const wait = Math.min(...waits);
    const now = time.now();
    if (wait === 0) return { waited: shownAt > 0 };
    if (now + wait > deadlineMs || (canRequeue && wait > MAX_IN_WORKER_WAIT_MS))
      throw new AllModelsBusyError(wait);
    const isShown = wait >= MIN_COUNTDOWN_MS || now - startedAt >= MIN_SHOWN_WAIT_MS;
    if (isShown && now - shownAt >= UPDATE_INTERVAL_MS) {
      thinking?.show(modelsBusyText(wait, now, settings.zone));
      shownAt = now;
    }
    await time.sleep(Math.min(wait, POLL_INTERVAL_MS), signal);
  }
}

/** Returns the status for a wait (ms) for a busy model. */
export function modelsBusyText(ms: number, now: number, zone: string | undefined): TextMessage {
  if (ms < MIN_COUNTDOWN_MS) return ['answers.status.full'];
  return ms < MAX_WAIT_IN_SECONDS_MS
    ? ['answers.status.full-seconds', { count: Math.ceil(ms / 1000) }]
    : ['answers.status.full-until', { time: formatClockTime(now + ms, zone) }];
}
