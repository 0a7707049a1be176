import type { Priority } from './priority-classes.ts';

/** How long a request stands back whose last 429 asks for no wait. */
const UNKNOWN_WAIT_MS = 30_000;
/** Otherwise this many times as long as that asks for: in between, others are answered. */
const STAND_BACK_FACTOR = 3;

type LimitedRequest = {
  readonly delivery: { readonly isRedelivery: boolean };
  readonly permitRequest: { readonly priority: Priority; readonly isContinuation?: boolean | undefined };
};

/**
 * Returns for how long (ms) a request is not sent again whose 429s repeat; 0 if they do not. `limitWaits`: the waits that its own 429s
 * of this delivery asked for, 0 for none. The limit may be that of this request or its model alone, and each 429 pauses the key for
 * everybody. The first one, in the first delivery, is waited for: it may be the first that anybody got. So is one during an answer,
 * whose beginning would be lost, and one of a recording: the limits of speech are learned from 429s.
 */
export function getStandBackMs(
  limitWaits: readonly number[],
  { delivery, permitRequest }: LimitedRequest,
): number {
  const isRepeated = limitWaits.length > (delivery.isRedelivery ? 0 : 1);
  if (!isRepeated || permitRequest.priority !== 'person' || permitRequest.isContinuation === true) return 0;
  return STAND_BACK_FACTOR * (limitWaits.at(-1) ?? 0) || UNKNOWN_WAIT_MS;
}
