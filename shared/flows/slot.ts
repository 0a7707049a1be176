import type { Thread } from '../conversation/index.ts';
import type { Saying } from '../texts/index.ts';
import { NoSlot } from './no-slot.ts';
import { clockTime } from './moments.ts';
import type { Delivery, Deps, Slot, SlotAsk, SlotDecision } from './ports.ts';
import { type Thinking, THINKING } from './thinking.ts';

/** How long a question waits for its slot within one delivery; longer waits go back to the queue. */
const MAX_WAIT_MS = 60_000;
/** Waits shorter than this pass without a word, and a slot is not looked at again for having waited so little. */
const WORTH_SAYING_MS = 1_500;
/** While someone waits, he is told anew this often how things stand. */
const SAY_EVERY_MS = 5_000;
/** Longer waits are told by the clock. */
const BY_THE_CLOCK_MS = 90_000;

export type SlotWait = {
  /** Told how the wait stands, if it is worth a word, and that it is over. */
  readonly thinking?: Pick<Thinking, 'say'> | undefined;
  /** Ends the wait; it rejects with the signal's reason. */
  readonly signal: AbortSignal;
  readonly delivery: Delivery;
  /** Nothing is waited for after this (ms since 1970); as long as one delivery waits, unless told. */
  readonly untilMs?: number | undefined;
  readonly ask: Omit<SlotAsk, 'maxWaitMs'>;
  readonly deps: Pick<Deps, 'slots' | 'time' | 'settings'>;
};

/**
 * Takes the right to send one request, and waits until it may be used; whoever waits is told his place and for how long.
 * Rejects with NoSlot when that is too far off. A slot that is not used for the wait being ended is given back.
 */
export async function waitForSlot(wait: SlotWait): Promise<Slot> {
  const { deps, ask, signal } = wait;
  const { slots, time } = deps;
  const until = wait.untilMs ?? patienceOf(wait);
  for (;;) {
    signal.throwIfAborted();
    const patience = until - time.now();
    const decision = await slots.take({ ...ask, maxWaitMs: Math.max(0, patience) });
    if (decision.granted) return standInLine(decision, wait);
    // All who are refused together would otherwise come back together, a moment later, for one slot.
    if (decision.retryAfterMs > patience) throw new NoSlot(decision.retryAfterMs);
    await told(decision.retryAfterMs, undefined, wait);
  }
}

/** Until when one delivery waits for what it needs (ms since 1970). */
export function patienceOf({
  delivery,
  deps: { time },
}: Pick<SlotWait, 'delivery'> & { readonly deps: Pick<Deps, 'time'> }): number {
  const now = time.now();
  return now + Math.max(0, Math.min(MAX_WAIT_MS, Math.floor((delivery.deadline - now) / 2)));
}

async function standInLine(
  { waitMs, ahead, slot }: Extract<SlotDecision, { granted: true }>,
  wait: SlotWait,
): Promise<Slot> {
  const { slots } = wait.deps;
  let due = { waitMs, slot };
  try {
    await told(waitMs, ahead, wait);
    // Only who has waited can have been overtaken by a request of the upstream that all wait longer.
    while (due.waitMs > 0) {
      due = await slots.due(due.slot);
      await told(due.waitMs, undefined, wait);
    }
    return due.slot;
  } catch (error) {
    await slots.release(due.slot);
    throw error;
  }
}

/** Sleeps, and tells meanwhile how long it still takes and how many are before. */
export async function told(
  ms: number,
  ahead: number | undefined,
  wait: Pick<SlotWait, 'thinking' | 'signal'> & { readonly deps: Pick<Deps, 'time' | 'settings'> },
): Promise<void> {
  const { deps, thinking, signal } = wait;
  const { time, settings } = deps;
  if (ms <= 0) return;
  const end = time.now() + ms;
  const say = ms >= WORTH_SAYING_MS;
  for (let left = ms; left > 0; left = end - time.now()) {
    const before = ahead === undefined ? undefined : Math.ceil((ahead * left) / ms);
    if (say) thinking?.say(inLine(left, { ahead: before, now: time.now(), zone: settings.zone }));
    await time.sleep(Math.min(left, say ? SAY_EVERY_MS : left), signal);
  }
  if (say) thinking?.say(THINKING);
}

/** What a person is told who has to wait so long (ms); `ahead` are before them. */
export function inLine(
  ms: number,
  {
    ahead,
    now,
    zone,
  }: { readonly ahead?: number | undefined; readonly now: number; readonly zone?: string | undefined },
): Saying {
  const first = ahead === undefined || ahead < 1;
  const place = first ? {} : { place: ahead + 1 };
  return ms < BY_THE_CLOCK_MS
    ? [`answers.status.${first ? 'line' : 'place'}-seconds`, { ...place, count: Math.ceil(ms / 1000) }]
    : [`answers.status.${first ? 'line' : 'place'}-until`, { ...place, time: clockTime(now + ms, zone) }];
}

/** Whose request it is, by names that are theirs alone within the deployment: a fair share is kept of each. */
export function askedBy(
  { platform, workspace, channel }: Pick<Thread, 'platform' | 'workspace' | 'channel'>,
  user: string,
) {
  const where = `${platform}#${workspace}`;
  return {
    priority: 'person',
    home: { platform, workspace },
    person: `${where}#U#${user}`,
    channel: `${where}#C#${channel}`,
  } as const;
}
