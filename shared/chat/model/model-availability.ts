import type { ChatContext } from '../context.ts';
import type { TextMessage } from '../../i18n/index.ts';
import { AllModelsBusyError } from '../../rate-limits/index.ts';
import { formatClockTime } from '../../i18n/format-time.ts';
import { MAX_STAY_MS, type PermitWait } from './wait-for-permit.ts';

/** Whoever waits for a full model looks so often whether it has answered somebody. */
const POLL_INTERVAL_MS = 500;
/** A wait that is shorter, as is that between two tries, passes as part of "every few seconds". */
const WORTH_COUNTING_MS = 3_000;
/** Waits shorter than this pass without a word. */
const WORTH_SAYING_MS = 1_000;
/** While someone waits, they are told anew this often how things stand. */
const UPDATE_INTERVAL_MS = 5_000;
/** Longer waits are told by the clock. */
const BY_THE_CLOCK_MS = 90_000;

export type ModelAvailabilityContext = Pick<ChatContext, 'breakers' | 'time' | 'settings'>;

/**
 * Waits until one of these models may be asked; whoever waits is told that it is full, and for how long as far as it says
 * so. Rejects with AllModelsBusyError when none may be by `untilMs`, or not for some seconds where the wait may be left to the queue; and with the
 * signal's reason.
 */
export async function waitUntilAvailable(
  models: readonly string[],
  untilMs: number,
  {
    context,
    thinking,
    signal,
    mayLeave = false,
  }: Pick<PermitWait, 'thinking' | 'signal' | 'mayLeave'> & { readonly context: ModelAvailabilityContext },
): Promise<{ readonly waited: boolean }> {
  const { breakers, time, settings } = context;
  if (models.length === 0) return { waited: false };
  const begun = time.now();
  let saidAt = -Infinity;
  for (;;) {
    signal.throwIfAborted();
    const waits = await Promise.all(models.map((model) => breakers.waitMs(model)));
    const wait = Math.min(...waits);
    const now = time.now();
    if (wait === 0) return { waited: saidAt > 0 };
    if (now + wait > untilMs || (mayLeave && wait > MAX_STAY_MS)) throw new AllModelsBusyError(wait);
    const worth = wait >= WORTH_COUNTING_MS || now - begun >= WORTH_SAYING_MS;
    if (worth && now - saidAt >= UPDATE_INTERVAL_MS) {
      thinking?.show(busyForMs(wait, now, settings.zone));
      saidAt = now;
    }
    await time.sleep(Math.min(wait, POLL_INTERVAL_MS), signal);
  }
}

/** What a person is told who waits for a full model that is to be left alone for so long (ms). */
export function busyForMs(ms: number, now: number, zone: string | undefined): TextMessage {
  if (ms < WORTH_COUNTING_MS) return ['answers.status.full'];
  return ms < BY_THE_CLOCK_MS
    ? ['answers.status.full-seconds', { count: Math.ceil(ms / 1000) }]
    : ['answers.status.full-until', { time: formatClockTime(now + ms, zone) }];
}
