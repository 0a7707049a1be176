/** Who asks: a person who waits, a recording that is written out, work that nobody waits for. */
export type Priority = 'person' | 'transcript' | 'background';

/**
 * What each class leaves of the burst to those above it, and whether it may stand in line. The background does not: whoever
 * stands in line is served in order, person by person, and a slot that is promised to the background is one that a person waits for.
 */
export const PRIORITY_CLASSES: Readonly<
  Record<Priority, { readonly headroom: number; readonly standsInLine: boolean }>
> = {
  person: { headroom: 0, standsInLine: true },
  transcript: { headroom: 6, standsInLine: true },
  background: { headroom: 12, standsInLine: false },
};

/** What to do while the table that counts is out of reach. */
export type Fallback = { readonly kind: 'refuse' } | { readonly kind: 'trickle'; readonly everyMs: number };

/**
 * The stated rule for a table that is slow or gone: people are answered at a trickle, at most one request in ten
 * seconds from each process, since the upstream still counts; everything else waits until the table is back.
 */
export const TABLE_FREE_LIMIT: Readonly<Record<Priority, Fallback>> = {
  person: { kind: 'trickle', everyMs: 10_000 },
  transcript: { kind: 'refuse' },
  background: { kind: 'refuse' },
};
