import { hash } from 'node:crypto';

/** Strictly increasing microseconds since 1970: the source of Slack's `ts`, event ids and message ids. */
export type Ticks = { next(): number };

/** `now` returns ms since 1970. A clock that stands still or goes back still gives increasing ticks. */
export function createTicks(now: () => number, after = 0): Ticks {
  let last = after;
  return {
    next() {
      last = Math.max(Math.round(now() * 1000), last + 1);
      return last;
    },
  };
}

/** A `ts` such as `1700000000.000100`. */
export function tsOf(tick: number): string {
  const seconds = Math.floor(tick / 1_000_000);
  return `${seconds}.${String(tick % 1_000_000).padStart(6, '0')}`;
}

/** The tick of a `ts`; NaN if it is not one. */
export function tickOf(ts: string): number {
  return /^\d{1,12}\.\d{6}$/.test(ts) ? Number(ts.replace('.', '')) : Number.NaN;
}

/** An event id such as `Ev0M3K1Z9Q2A`: unique over all workspaces. */
export const eventIdOf = (tick: number, nth = 0): string =>
  `Ev${nth}${tick.toString(36).toUpperCase().padStart(10, '0')}`;

/** A stable UUID, as Slack's clients put on the messages that people send. */
export function uuidOf(seed: string): string {
  const hex = hash('sha256', seed, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Hashes that were computed, since a message is presented many times. */
const hashes = new Map<string, string>();
const MAX_HASHES = 10_000;

/** Capital letters and digits derived from this text, as in ids. */
export function hashOf(text: string, length: number): string {
  const known = hashes.get(text);
  if (known !== undefined) return known.slice(0, length);
  const digest = hash('sha256', text, 'hex');
  const letters = BigInt(`0x${digest}`).toString(36).toUpperCase();
  if (hashes.size >= MAX_HASHES) hashes.clear();
  hashes.set(text, letters);
  return letters.slice(0, length);
}
