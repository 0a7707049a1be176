/** Why a request is sent: for a person who waits, for a transcript, or for background work. */
export type Priority = 'person' | 'transcript' | 'background';

/**
 * What each class leaves of the burst to the classes above it, and whether it may join the wait queue.
 * Background work may not: the queue serves people in a fair order, and a permit for background work is one
 * that a person waits for.
 */
export const PRIORITY_CLASSES: Readonly<
  Record<Priority, { readonly headroom: number; readonly mayQueue: boolean }>
> = {
  person: { headroom: 0, mayQueue: true },
  transcript: { headroom: 6, mayQueue: true },
  background: { headroom: 12, mayQueue: false },
};

/** What to do while the table with the counters is unavailable: refuse, or send one request each `everyMs`. */
type OutageRule = { readonly kind: 'refuse' } | { readonly kind: 'trickle'; readonly everyMs: number };

/**
 * The rule while the table is slow or unavailable. For people, each process sends at most one request in ten
 * seconds: the upstream still counts. Everything else waits for the table.
 */
export const TABLE_OUTAGE_LIMIT: Readonly<Record<Priority, OutageRule>> = {
  person: { kind: 'trickle', everyMs: 10_000 },
  transcript: { kind: 'refuse' },
  background: { kind: 'refuse' },
};
