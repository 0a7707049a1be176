import type { Rule } from './gcra.ts';

/**
 * The line of a key: who waits for the right to send a request, and who is next. Everyone who waits reads the same line
 * and finds the same order, so nobody has to serve it. Start-time fair queueing: each person's questions count as rounds,
 * whoever is in an earlier round comes first, and within a round whoever has waited longest in all. Moments are ms since
 * 1970; the virtual time of rounds is in ms too, and equals the clock while nobody waits.
 */
export const LINE = {
  /** Virtual time between two questions of one person, in intervals of the key's rule. */
  roundIntervals: 24,
  /** Questions that come so much less than a round apart (rounds) are still of different rounds. */
  tolerance: 0.3,
  /** How many rounds somebody may be ahead of those who wait, having asked less than they. */
  memory: 2,
  /** The part of the burst that the second question of one person, and each further one, leaves to others at first. */
  left: [0, 0.5, 1],
  /** That much less is left the longer it waits; after this (ms) nothing is. */
  settleMs: 2_000,
} as const;

/** Somebody's place in the line. */
export type Waiter = {
  readonly id: string;
  readonly person: string;
  /** The virtual time when it began to wait. */
  readonly tag: number;
  readonly askedMs: number;
  readonly sinceMs: number;
  /** How many times the usual share the person has; 0 for a request that goes on with an answer: those come first. */
  readonly weight: number;
};

/** What is remembered of somebody who asked lately. */
export type Share = {
  /** The virtual time of this person's next question. */
  readonly next: number;
  /** How long this person has waited lately, in all (ms). */
  readonly waitedMs: number;
};
export const NO_SHARE: Share = { next: 0, waitedMs: 0 };

export type Line = {
  readonly rule: Rule;
  /** The bucket's theoretical arrival time (us). */
  readonly tat: number;
  readonly waiters: readonly Waiter[];
  readonly shares: ReadonlyMap<string, Share>;
  /** The virtual time: that of the question that was sent last after one of its person's. */
  readonly vtime: number;
};

/** A waiter's turn. */
export type Turn = {
  readonly waiter: Waiter;
  /** How many come before. */
  readonly ahead: number;
  /** When the request may be sent, if nobody joins and nobody leaves. */
  readonly dueMs: number;
  /** How much of the burst is left to others at first (requests), beside those before: see `leaveOf`. */
  readonly whole: number;
  /** The virtual time of this question, and of this person's next one once it is sent. */
  readonly start: number;
  readonly next: number;
};

/** The virtual time between two questions of a person (ms). */
export const roundMs = ({ intervalUs }: Rule): number => (LINE.roundIntervals * intervalUs) / 1000;

/** The virtual time at which somebody begins to wait: a little before that of the line, and the clock's where that is later. */
export function tagNow({ rule, waiters, shares, vtime }: Line, nowMs: number): number {
  const line = Math.min(...startsOf(waiters, shares, rule).map(({ start }) => start));
  return Math.min(line, Math.max(nowMs, vtime - LINE.memory * roundMs(rule)));
}

/** Everybody's turn, in order. */
export function turnsOf(line: Line, nowMs: number): Turn[] {
  const { rule, waiters, shares } = line;
  const starts = startsOf(waiters, shares, rule);
  const base = Math.min(...starts.map(({ start }) => start));
  const round = roundMs(rule);
  const rankOf = ({ waiter, start }: Start): number =>
    waiter.weight === 0 ? -1 : Math.floor((start - base) / round + LINE.tolerance);
  const ranks = [...Map.groupBy(starts, rankOf)].toSorted(([a], [b]) => a - b);
  const waited = new Map([...shares].map(([person, share]) => [person, share.waitedMs]));
  const turns: Turn[] = [];
  for (const [, starters] of ranks) {
    const since = new Map(
      starters.map(({ waiter }) => [waiter.id, waiter.askedMs - (waited.get(waiter.person) ?? 0)]),
    );
    const inOrder = starters.toSorted(
      (a, b) => (since.get(a.waiter.id) ?? 0) - (since.get(b.waiter.id) ?? 0) || bySince(a.waiter, b.waiter),
    );
    for (const { waiter, start, next } of inOrder) {
      const ahead = turns.length;
      const whole = leftBy(waiter, start, rule);
      const dueMs = dueAt(line, nowMs, ahead, whole, waiter.sinceMs);
      turns.push({ waiter, ahead, dueMs, whole, start, next });
      waited.set(waiter.person, (waited.get(waiter.person) ?? 0) + Math.max(0, dueMs - waiter.askedMs));
    }
  }
  return turns;
}

const bySince = (a: Waiter, b: Waiter): number => a.sinceMs - b.sinceMs || (a.id < b.id ? -1 : 1);

/** How much of the burst has to be left now (requests) where this turn is taken. */
export const leaveOf = ({ ahead, whole, waiter }: Turn, nowMs: number): number =>
  ahead + leaveAt(whole, nowMs - waiter.sinceMs);

/** How many requests could be sent now. */
export const available = ({ rule, tat }: Pick<Line, 'rule' | 'tat'>, nowMs: number): number =>
  Math.min(burstOf(rule), (nowMs * 1000 + rule.toleranceUs - tat) / rule.intervalUs + 1);

const burstOf = ({ toleranceUs, intervalUs }: Rule): number => toleranceUs / intervalUs + 1;

type Start = { readonly waiter: Waiter; readonly start: number; readonly next: number };

/** The virtual times of all who wait: those of one person follow each other, a round apart. */
function startsOf(waiters: readonly Waiter[], shares: ReadonlyMap<string, Share>, rule: Rule): Start[] {
  const round = roundMs(rule);
  const last = new Map<string, number>();
  const inOrder = waiters.toSorted((a, b) => a.askedMs - b.askedMs || bySince(a, b));
  return inOrder.map((waiter) => {
    const { person, tag, weight } = waiter;
    const known = shares.get(person)?.next ?? 0;
    if (weight === 0) return { waiter, start: tag, next: known };
    const start = Math.max(tag, last.get(person) ?? known);
    const next = start + round / weight;
    last.set(person, next);
    return { waiter, start, next };
  });
}

/** How much of the burst this one leaves to others at first (requests): as many as its person has asked before of late. */
function leftBy({ tag, weight }: Waiter, start: number, rule: Rule): number {
  if (weight === 0) return 0;
  const before = Math.max(0, Math.floor((start - tag) / roundMs(rule) + LINE.tolerance));
  return (LINE.left[before] ?? 1) * burstOf(rule);
}

const leaveAt = (whole: number, waitedMs: number): number =>
  whole * Math.max(0, 1 - Math.max(0, waitedMs) / LINE.settleMs);

/** When so many requests more than `ahead` could be sent that this one may go. */
function dueAt(line: Line, nowMs: number, ahead: number, whole: number, sinceMs: number): number {
  const missing = ahead + 1 - available(line, nowMs);
  const perMs = 1000 / line.rule.intervalUs;
  const waited = Math.max(0, nowMs - sinceMs);
  const settled = Math.max(0, LINE.settleMs - waited);
  // While it leaves something to others, that shrinks as the bucket fills.
  const shrinking = (missing + leaveAt(whole, waited)) / (perMs + whole / LINE.settleMs);
  const wait = shrinking <= settled ? shrinking : Math.max(settled, missing / perMs);
  return nowMs + Math.max(0, wait);
}
