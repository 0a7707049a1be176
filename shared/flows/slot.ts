import { NoSlot } from './no-slot.ts';
import type { Delivery, Deps } from './ports.ts';
import type { Thinking } from './thinking.ts';

/** How long a question waits for its slot within one delivery; longer waits go back to the queue. */
const MAX_WAIT_MS = 60_000;
/** Waits shorter than this pass without a word. */
const WORTH_SAYING_MS = 1_500;

export type SlotWait = {
  /** Told how long the wait is, once, if it is worth a word; and that it is over. */
  readonly thinking?: Thinking | undefined;
  /** Ends the wait; it rejects with the signal's reason. */
  readonly signal: AbortSignal;
  readonly delivery: Delivery;
  readonly deps: Pick<Deps, 'slots' | 'time'>;
};

/** Takes the right to send one request, and waits until it may be used. Rejects with NoSlot when that is too far off. */
export async function waitForSlot({ deps, thinking, signal, delivery }: SlotWait): Promise<void> {
  const { slots, time } = deps;
  const left = delivery.deadline - time.now();
  const patience = Math.max(0, Math.min(MAX_WAIT_MS, Math.floor(left / 2)));
  const decision = await slots.take(patience);
  // Not only until a wait that long is to be had again: all who are refused together would then come back together, a
  // moment later, for one slot, and have no delivery left before their time comes.
  if (!decision.granted) throw new NoSlot(patience + decision.retryAfterMs);
  if (decision.waitMs === 0) return;
  const long = decision.waitMs >= WORTH_SAYING_MS;
  if (long) thinking?.say(inLine(decision.waitMs));
  await time.sleep(decision.waitMs, signal);
  if (long) thinking?.say('is thinking…');
}

/** What a person is told who has to wait so long. */
export function inLine(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return `is waiting in line: about ${seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`}`;
}
