import { GCRA_GUARD, type RateLimit, type GcraRule, createGcraRule } from '../../shared/rate-limits/index.ts';
import { TokenBuckets, ConditionFailedError, type Dynamo } from '../../shared/storage/index.ts';
import { type Random, createSeededRandom } from '../faults/seeded-random.ts';
import { SimulatedTime } from './simulated-time.ts';

/** Bugs that the limiter must prevent. A check that does not detect one proves nothing. */
export const SEEDED_BUGS = [
  'burst off by one',
  '`now` refreshed',
  'guard removed',
  'refund after send',
] as const;
export type SeededBug = (typeof SEEDED_BUGS)[number];

export type TakesReport = {
  takes: number;
  granted: number;
  /** The largest excess over burst plus refill within a window, by the upstream's count. */
  excess: number;
  /** Requests that were refused although the table had capacity. */
  wrong: number;
  /** The maximum number of writes of one take. */
  writes: number;
  /** The share of possible takes that the model permitted. */
  used: number;
};

const T0 = 1_700_000_000_000;
const LIMIT: RateLimit = { perMinute: 120, burst: 30 };
/** The maximum clock skew. */
const SKEW_MS = 50;
/**
 * The guard covers how much longer one request may take than another, from the time by which its permit is counted to
 * its arrival. That includes two round trips of the table.
 */
export const SPREAD_MS = 900;
const WAYS = 4;

/** The world in which a bug is visible: the guard hides one excess request. */
export const optionsFor = (mutant: SeededBug): TakesOptions => ({
  mutant,
  exact: mutant === 'burst off by one',
});

/** The result of the checks. */
export type TakesOptions = {
  readonly mutant?: SeededBug | undefined;
  readonly spreadMs?: number | undefined;
  /** Without guard and without delays: the rule itself, exact to one request. */
  readonly exact?: boolean | undefined;
};

/**
 * Processes with clocks and states of their own take permits of one key, on a table that is slow, loses responses and
 * repeats some writes. The upstream's exact rule judges the arrivals.
 */
export async function checkTakes(
  seed: number,
  takes: number,
  { mutant, spreadMs = SPREAD_MS, exact = false }: TakesOptions = {},
): Promise<TakesReport> {
  const random = createSeededRandom(seed);
  const clock = new SimulatedTime(T0);
  const burst = LIMIT.burst + (mutant === 'burst off by one' ? 1 : 0);
  const rule = createGcraRule(
    { ...LIMIT, burst },
    exact || mutant === 'guard removed' ? NO_GUARD : GCRA_GUARD,
  );
  const report: TakesReport = { takes: 0, granted: 0, excess: -Infinity, wrong: 0, writes: 0, used: 0 };
  const table = new Table(clock, random);
  const arrivals: number[] = [];
  // Every third world is quiet: its bucket is nearly idle.
  const quiet = seed % 3 === 0;
  const takers = quiet ? 3 : 4 + Math.floor(random() * 40);
  const latency = exact ? 0 : 1 + Math.floor((random() * spreadMs) / WAYS);
  const jitter = exact ? 0 : Math.max(0, spreadMs - WAYS * latency);
  for (let i = 0; i < takers; i += 1) {
    const skew = exact ? 0 : (random() - 0.5) * 2 * SKEW_MS;
    const shared = { random, clock, rule, table, arrivals, report, mutant, latency, jitter, quiet, exact };
    void take({ ...shared, skew, refunds: seed % 2 === 0 }, takes);
  }
  await clock.run(() => report.takes >= takes);
  const end = clock.now - T0;
  report.excess = excessOf(arrivals);
  // A permit whose response was lost counts as used.
  report.used = quiet
    ? 1
    : (arrivals.length + table.lost) / ((end * 60e6) / 60_000 / rule.intervalUs + LIMIT.burst - 2);
  return report;
}

const NO_GUARD = { jitterMs: 0, skewMs: 0, slowdown: 1 };

type Taker = {
  readonly random: Random;
  readonly clock: SimulatedTime;
  readonly rule: GcraRule;
  readonly table: Table;
  readonly arrivals: number[];
  readonly report: TakesReport;
  readonly mutant: SeededBug | undefined;
  /** The maximum one-way latency of the table (ms). */
  readonly latency: number;
  /** The maximum latency of a request to the upstream (ms). */
  readonly jitter: number;
  readonly quiet: boolean;
  /** Nothing takes time, and clocks have a resolution of 1 ms. */
  readonly exact: boolean;
  /** Whether unused permits are released: the table may then hold less than a process has seen. */
  readonly refunds: boolean;
  readonly skew: number;
};

async function take(taker: Taker, maxTokens: number): Promise<void> {
  const {
    random,
    clock,
    rule,
    table,
    arrivals,
    report,
    mutant,
    latency,
    jitter,
    skew,
    refunds,
    quiet,
    exact,
  } = taker;
  const sleep = (ms: number) => clock.sleep(exact ? Math.ceil(ms) : ms);
  const call = { writes: 0 };
  let now = 0;
  const reached = table.reachedBy(latency, call);
  const dynamo =
    mutant === '`now` refreshed' ? refreshing(reached, rule, call, () => clock.now + skew) : reached;
  const buckets = new TokenBuckets(dynamo, 'tokens', () => now);
  while (report.takes < maxTokens) {
    report.takes += 1;
    now = Math.floor(clock.now + skew);
    call.writes = 0;
    const maxWaitMs = random() < 0.5 ? 0 : Math.floor(random() * 4_000);
    const headroom = random() < 0.2 ? 6 : 0;
    const latest = now * 1000 + rule.toleranceUs + maxWaitMs * 1000 - headroom * rule.intervalUs;
    const before = table.tat;
    const decision = await buckets.take('key', rule, { maxWaitMs, headroom }).catch(() => undefined);
    report.writes = Math.max(report.writes, call.writes);
    if (decision?.granted) {
      const due = Math.max(clock.now, now + decision.waitMs - skew);
      const isLost = random() < 0.02 && due > clock.now + latency;
      if ((isLost && refunds) || (mutant === 'refund after send' && random() < 0.1)) {
        await buckets.release('key', rule).catch(() => undefined);
      }
      if (!isLost || !refunds) arrivals.push(due + random() * jitter);
      report.granted += 1;
      await sleep(quiet || random() > 0.7 ? random() * 3_000 : 1);
    } else {
      // A refusal is wrong only if the table had capacity all along: its count never falls later, except by releases.
      if (decision && Math.max(before, table.tat) <= latest && !table.gaveBack) report.wrong += 1;
      await sleep(decision ? Math.min(decision.retryAfterMs, 2_000 * random() + 1) : 1);
    }
  }
}

/** The second write of a take has a later `now` than the first. */
function refreshing(
  inner: Dynamo,
  rule: GcraRule,
  call: { readonly writes: number },
  now: () => number,
): Dynamo {
  return {
    ...inner,
    update: (input) => {
      if (call.writes === 0) return inner.update(input);
      const us = Math.floor(now()) * 1000;
      const fresh = { ...input.ExpressionAttributeValues, ':now': { N: String(us) } };
      const idle = input.UpdateExpression?.startsWith('SET tat = :next,') ?? false;
      const next = idle ? { ':next': { N: String(us + rule.intervalUs) } } : {};
      return inner.update({ ...input, ExpressionAttributeValues: { ...fresh, ...next } });
    },
  };
}

const never = (): never => {
  throw new Error('not a call of the limiter');
};

/** One bucket of the table: a number, and the requests to it, each of which takes effect at a time of its own. */
class Table {
  tat = 0;
  lost = 0;
  gaveBack = false;
  readonly #clock: SimulatedTime;
  readonly #random: Random;
  #item: Record<string, { N: string }> | undefined;

  constructor(clock: SimulatedTime, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  reachedBy(latency: number, call: { writes: number }): Dynamo {
    const away = (): Promise<void> => this.#clock.sleep(this.#random() * latency);
    return {
      get: async () => {
        await away();
        const item = this.#item;
        await away();
        return item ? { Item: item } : {};
      },
      update: async (input) => {
        call.writes += 1;
        await away();
        const done = this.#apply(input);
        // A retry of the HTTP client takes effect again, and the caller sees one response.
        if (this.#random() < 0.005 && done && this.#apply(input)) this.lost += 1;
        await away();
        if (this.#random() < 0.005) {
          if (done) this.lost += 1;
          throw new Error('the reply was lost');
        }
        if (!done) throw new ConditionFailedError();
        return { Attributes: done };
      },
      put: never,
      delete: never,
      query: never,
    };
  }

  /** The three changes that the limiter makes, by their conditions. */
  #apply({ UpdateExpression = '', ExpressionAttributeValues: values = {} }: Parameters<Dynamo['update']>[0]) {
    const value = (name: string): number => Number(values[name]?.N);
    const absent = this.#item === undefined;
    if (UpdateExpression.startsWith('SET tat = :next,')) {
      if (!absent && this.tat > value(':now')) return undefined;
      this.tat = value(':next');
    } else if (UpdateExpression.startsWith('SET tat = tat + :cost,')) {
      if (absent || this.tat <= value(':now') || this.tat > value(':latest')) return undefined;
      this.tat += value(':cost');
    } else if (UpdateExpression.startsWith('SET tat = tat - :cost,')) {
      if (absent || this.tat <= value(':now')) return undefined;
      this.tat -= value(':cost');
      this.gaveBack = true;
    } else throw new Error(`not a change of the limiter: ${UpdateExpression}`);
    this.#item = { tat: { N: String(this.tat) } };
    return this.#item;
  }
}

/** The largest excess of arrivals over burst plus refill: the upstream's own bucket without refusals. */
function excessOf(arrivals: readonly number[]): number {
  // In ms of refill, so that whole ms stay whole.
  const each = 60_000 / LIMIT.perMinute;
  let level = 0;
  let last = 0;
  let worst = -Infinity;
  for (const at of arrivals.toSorted((a, b) => a - b)) {
    level = Math.max(0, level - (at - last)) + each;
    last = at;
    worst = Math.max(worst, level / each - LIMIT.burst);
  }
  return worst;
}
