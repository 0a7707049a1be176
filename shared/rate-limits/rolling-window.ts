/**
 * A window that rolls, exactly: the log of what was taken in it. A request is counted by the upstream a moment after it
 * was taken here, and that moment varies, so a place is free only `GUARD_MS` after the window has passed: at least twice
 * the lag of the table, of sending and of the clocks together.
 */
export type RollingWindow = { readonly requests: number; readonly windowMs: number };

export const WINDOW_GUARD_MS = 10_000;

/** A request must have been sent this soon after its place was taken; later, the place is lost and another is needed. */
export const SEND_TIMEOUT_MS = WINDOW_GUARD_MS / 2;

/** One place in a log: its moment, and what tells it from others of the same ms, as one number of 18 digits. */
export const slotOf = (atMs: number, id: number): string =>
  `${Math.floor(atMs)}${String(id % 100_000).padStart(5, '0')}`;

const msOf = (place: string): number => Number(place.slice(0, -5));

/** The places of a log that count no more. */
export const expiredSlots = (log: readonly string[], { windowMs }: RollingWindow, nowMs: number): string[] =>
  log.filter((place) => msOf(place) <= nowMs - windowMs - WINDOW_GUARD_MS);

/** How long until a place of a full log is free. */
export function freeAfterMs(log: readonly string[], { windowMs }: RollingWindow, nowMs: number): number {
  const oldest = Math.min(...log.map(msOf));
  return Math.max(1, oldest + windowMs + WINDOW_GUARD_MS - nowMs);
}
