import type { Rule } from './gcra.ts';

/**
 * A fair share of one key. While at least half of the burst is there, everybody helps himself and it costs nothing.
 * Below that, and in line, each person and each channel may hold so many places; a place is held until its request is
 * due. Whoever has all places taken waits for one of his own, not in front of others: over time all who want something
 * are served in turn, however much one of them asks for.
 */
export const SHARE = {
  /** Places that one person may hold, times the weight of the role or plan. */
  person: 2,
  /** Places that one channel may hold. */
  channel: 6,
  /** The part of the burst that only those with a place get. */
  reserved: 0.5,
  /** The shortest time that a place is held (intervals of the key's rule). */
  leastIntervals: 4,
} as const;

/** What a place is held for: someone's name in the table, and how many places that one has. */
export type Holder = { readonly key: string; readonly places: number };

/** How much of the burst is left to those with a place (requests). */
export const reservedOf = ({ intervalUs, toleranceUs }: Rule): number =>
  Math.floor((toleranceUs / intervalUs + 1) * SHARE.reserved);

/** Until when a place is held for a request that is due after `waitMs`. */
export const heldUntil = (rule: Rule, nowMs: number, waitMs: number): number =>
  Math.ceil(nowMs + Math.max(waitMs, (SHARE.leastIntervals * rule.intervalUs) / 1000));

/** The places that a person has by weight: a plan or role of weight 2 has twice as many. At least one. */
export const placesOf = (places: number, weight = 1): number => Math.max(1, Math.round(places * weight));
