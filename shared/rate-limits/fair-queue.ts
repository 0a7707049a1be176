import type { GcraRule } from './gcra.ts';

/**
 * The wait queue of a key: who waits for a permit to send a request, and in which order. Everyone who waits
 * reads the same state and computes the same order, so no process has to run the queue. The order is start-time
 * fair queueing over people: each question of a person belongs to a later round than the one before it. An
 * earlier round comes first. Within a round, the person who has waited longest in total comes first. Times are
 * ms since 1970. The virtual time of rounds is in ms too, and equals the clock while nobody waits.
 */
export const FAIR_QUEUE = {
  /** Length of a round: the virtual time between two questions of one person, in intervals of the key's rule. */
  roundIntervals: 24,
  /** Two questions of one person that are this part of a round too close still count as different rounds. */
  roundTolerance: 0.3,
  /**
   * A person who has asked less than the others starts at most this many rounds before the queue's virtual
   * time.
   */
  maxRoundsAhead: 2,
  /**
   * The part of the burst that a person's first, second and later questions at the same time leave to others.
   */
  burstReserve: [0, 0.5, 1],
  /** This reserve decays to zero while the question waits for this long (ms). */
  reserveDecayMs: 2_000,
  /** While the bucket is full and nobody takes a permit, one turn after another passes, each after this long (ms). */
  unusedTurnMs: 500,
} as const;

/** One question that waits. */
export type Waiter = {
  readonly id: string;
  readonly person: string;
  /** The virtual time at which it joined the queue. */
  readonly tag: number;
  /** When the person asked. */
  readonly requestedAtMs: number;
  /** When it joined the queue. */
  readonly sinceMs: number;
  /** How many times the usual share the person has. 0 for a request that continues an answer: those come first. */
  readonly weight: number;
};

/** What is stored about a person who asked recently. */
export type PersonShare = {
  /** The virtual time of this person's next question. */
  readonly next: number;
  /** How long this person has waited recently, in total (ms). */
  readonly waitedMs: number;
};
export const NO_SHARE: PersonShare = { next: 0, waitedMs: 0 };

export type QueueState = {
  readonly rule: GcraRule;
  /** The bucket's theoretical arrival time (us). */
  readonly tat: number;
  readonly waiters: readonly Waiter[];
  readonly shares: ReadonlyMap<string, PersonShare>;
  /** The virtual time of the queue: that of the latest question that was sent and was not its person's first. */
  readonly vtime: number;
};

/** The turn of a waiter. */
export type QueueTurn = {
  readonly waiter: Waiter;
  /** How many come first. */
  readonly ahead: number;
  /** When the request may be sent, if nobody joins and nobody leaves. */
  readonly dueMs: number;
  /** From this moment on the bucket is full, and the turns before it pass unless somebody takes a permit. */
  readonly unusedSinceMs: number;
  /**
   * How many requests of the burst it leaves to others when it joins, in addition to those before it: see
   * `getRequiredReserve`.
   */
  readonly reserve: number;
  /** The virtual time of this question, and of this person's next one once it is sent. */
  readonly start: number;
  readonly next: number;
};

/** The virtual time between two questions of a person (ms). */
export const roundMs = ({ intervalUs }: GcraRule): number => (FAIR_QUEUE.roundIntervals * intervalUs) / 1000;

/**
 * Returns the virtual time for a new waiter: the clock, but not later than the earliest waiter, and not far
 * before the queue's virtual time.
 */
export function getStartTag({ rule, waiters, shares, vtime }: QueueState, nowMs: number): number {
  const earliest = Math.min(...virtualTimes(waiters, shares, rule).map(({ start }) => start));
  return Math.min(earliest, Math.max(nowMs, vtime - FAIR_QUEUE.maxRoundsAhead * roundMs(rule)));
}

/** Computes all turns, in order. */
export function computeTurns(queue: QueueState, nowMs: number): QueueTurn[] {
  const { rule, waiters, shares } = queue;
  const starts = virtualTimes(waiters, shares, rule);
  const base = Math.min(...starts.map(({ start }) => start));
  const round = roundMs(rule);
  const getRank = ({ waiter, start }: VirtualTimes): number =>
    waiter.weight === 0 ? -1 : Math.floor((start - base) / round + FAIR_QUEUE.roundTolerance);
  const ranks = [...Map.groupBy(starts, getRank)].toSorted(([a], [b]) => a - b);
  const waits = new Map([...shares].map(([person, share]) => [person, share.waitedMs]));
  const turns: QueueTurn[] = [];
  for (const [, starters] of ranks) {
    const inOrder = starters
      .map((starter) => ({
        ...starter,
        since: starter.waiter.requestedAtMs - (waits.get(starter.waiter.person) ?? 0),
      }))
      .toSorted((a, b) => a.since - b.since || compareJoinTime(a.waiter, b.waiter));
    for (const { waiter, start, next } of inOrder) {
      const ahead = turns.length;
      const reserve = initialReserve(waiter, start, rule);
      const unusedSinceMs = Math.max(queue.tat / 1000, waiter.sinceMs);
      const turn = { waiter, ahead, unusedSinceMs, reserve, start, next };
      const dueMs = dueTime(queue, nowMs, turn);
      turns.push({ ...turn, dueMs });
      waits.set(waiter.person, (waits.get(waiter.person) ?? 0) + Math.max(0, dueMs - waiter.requestedAtMs));
    }
  }
  return turns;
}

const compareJoinTime = (a: Waiter, b: Waiter): number => a.sinceMs - b.sinceMs || (a.id < b.id ? -1 : 1);

/** How many requests must remain in the burst at this moment for this turn to take one. */
export const getRequiredReserve = (turn: Omit<QueueTurn, 'dueMs'>, nowMs: number): number =>
  countAhead(turn, nowMs) + decayedReserve(turn.reserve, nowMs - turn.waiter.sinceMs);

/**
 * How many come first, without those whose turn has passed: a small burst never has room for them and this one, so a
 * dead worker would stop the queue until its entry expires.
 */
const countAhead = ({ ahead, unusedSinceMs }: Omit<QueueTurn, 'dueMs'>, nowMs: number): number =>
  Math.max(0, ahead - Math.max(0, nowMs - unusedSinceMs) / FAIR_QUEUE.unusedTurnMs);

/** The turns that a request passes if it is sent now: those that came first leave no permit for it. */
export const countPassed = (
  { ahead }: Pick<QueueTurn, 'ahead'>,
  bucket: Pick<QueueState, 'rule' | 'tat'>,
  nowMs: number,
): number => Math.min(ahead, Math.max(0, Math.ceil(ahead + 1 - countAvailableRequests(bucket, nowMs))));

/** The number of requests that can be sent now. */
export const countAvailableRequests = (
  { rule, tat }: Pick<QueueState, 'rule' | 'tat'>,
  nowMs: number,
): number => Math.min(burstSize(rule), (nowMs * 1000 + rule.toleranceUs - tat) / rule.intervalUs + 1);

const burstSize = ({ toleranceUs, intervalUs }: GcraRule): number => toleranceUs / intervalUs + 1;

type VirtualTimes = { readonly waiter: Waiter; readonly start: number; readonly next: number };

/** Computes the virtual times of all waiters. Those of one person are a round apart. */
function virtualTimes(
  waiters: readonly Waiter[],
  shares: ReadonlyMap<string, PersonShare>,
  rule: GcraRule,
): VirtualTimes[] {
  const round = roundMs(rule);
  const last = new Map<string, number>();
  const inOrder = waiters.toSorted((a, b) => a.requestedAtMs - b.requestedAtMs || compareJoinTime(a, b));
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

/**
 * How many requests of the burst this one leaves to others when it joins. It grows with the number of recent
 * questions of its person.
 */
function initialReserve({ tag, weight }: Waiter, start: number, rule: GcraRule): number {
  if (weight === 0) return 0;
  const before = Math.max(0, Math.floor((start - tag) / roundMs(rule) + FAIR_QUEUE.roundTolerance));
  return (FAIR_QUEUE.burstReserve[before] ?? 1) * burstSize(rule);
}

const decayedReserve = (reserve: number, waitedMs: number): number =>
  reserve * Math.max(0, 1 - Math.max(0, waitedMs) / FAIR_QUEUE.reserveDecayMs);

/** When the requests ahead and this one can be sent, including the reserve that this one leaves to others. */
function dueTime(queue: QueueState, nowMs: number, turn: Omit<QueueTurn, 'dueMs'>): number {
  const { waiter, reserve, unusedSinceMs } = turn;
  const missing = countAhead(turn, nowMs) + 1 - countAvailableRequests(queue, nowMs);
  // While the bucket is full, permits come no faster than turns pass.
  const perMs = Math.min(
    1000 / queue.rule.intervalUs,
    nowMs < unusedSinceMs ? Infinity : 1 / FAIR_QUEUE.unusedTurnMs,
  );
  const waitMs = Math.max(0, nowMs - waiter.sinceMs);
  const settled = Math.max(0, FAIR_QUEUE.reserveDecayMs - waitMs);
  // The bucket fills while the reserve decays: either the two meet, or the reserve reaches zero first.
  const shrinking =
    (missing + decayedReserve(reserve, waitMs)) / (perMs + reserve / FAIR_QUEUE.reserveDecayMs);
  const wait = shrinking <= settled ? shrinking : Math.max(settled, missing / perMs);
  return nowMs + Math.max(0, wait);
}
