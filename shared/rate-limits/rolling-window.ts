/**
 * An exact rolling window: a log of its requests. The upstream counts a request a moment after it is logged
 * here, and the delay varies. So an entry expires only `WINDOW_GUARD_MS` after the window: at least twice the
 * sum of the delays of table, network and clocks.
 */
export type RollingWindow = { readonly requests: number; readonly windowMs: number };

export const WINDOW_GUARD_MS = 10_000;

/** A request must be sent within this time after it was logged. Later it needs a new entry. */
export const SEND_TIMEOUT_MS = WINDOW_GUARD_MS / 2;

/**
 * Returns the entry of a request: its time and a number that distinguishes requests of the same ms, as one
 * number of 18 digits.
 */
export const createWindowEntry = (atMs: number, id: number): string =>
  `${Math.floor(atMs)}${String(id % 100_000).padStart(5, '0')}`;

const entryTimeMs = (entry: string): number => Number(entry.slice(0, -5));

/** Returns the entries that no longer count. */
export const listExpiredEntries = (
  log: readonly string[],
  { windowMs }: RollingWindow,
  nowMs: number,
): string[] => log.filter((entry) => entryTimeMs(entry) <= nowMs - windowMs - WINDOW_GUARD_MS);

/** Returns how long until an entry of a full log expires. */
export function getMsUntilFree(log: readonly string[], { windowMs }: RollingWindow, nowMs: number): number {
  const oldest = Math.min(...log.map(entryTimeMs));
  return Math.max(1, oldest + windowMs + WINDOW_GUARD_MS - nowMs);
}
