import type { Job } from '../jobs/index.ts';
import type { Deps } from './ports.ts';
import { askedBy } from './slot.ts';

/** How long a job waits for its slot in line with its thread; longer waits are the sweeper's. */
const MOST_WAIT_MS = 3_000;

/** Takes the right to hand in a job, and waits until it may be used. Resolves with the ms after which to ask again if not. */
export async function videoSlot(
  { thread, by }: Job,
  { mediaSlots, time }: Pick<Deps, 'mediaSlots' | 'time'>,
): Promise<number | undefined> {
  const slots = mediaSlots?.video;
  if (!slots) return undefined;
  const decision = await slots.take({ ...askedBy(thread, by.user), maxWaitMs: MOST_WAIT_MS });
  if (!decision.granted) return decision.retryAfterMs;
  let { waitMs, slot } = decision;
  // Only who has waited can have been overtaken by a request of the upstream that all wait longer.
  while (waitMs > 0) {
    await time.sleep(waitMs);
    ({ waitMs, slot } = await slots.due(slot));
  }
  return undefined;
}
