import { CHAT_LIMIT } from '../../shared/rate-limits/index.ts';
import {
  TokenBuckets,
  type Dynamo,
  KeyRateLimiter,
  type RequestPermit,
  type PermitDecision,
} from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { type Random, createSeededRandom } from '../faults/seeded-random.ts';
import { createBucket } from '../simulators/upstream/limits/bucket.ts';
import { SimulatedTime } from './simulated-time.ts';

/** The load: its duration, its people, and other users of the key. */
export type Load = {
  readonly seed: number;
  readonly hours: number;
  /** Questions per minute of all people. */
  readonly perMinute: number;
  readonly people: number;
  /** Some people ask this many times as often as others. */
  readonly greed: number;
  /**
   * The share of writes that the client repeats, because the first response was lost. The worker sees the result of
   * the second. None by default.
   */
  readonly repeated?: number;
  /** Requests per minute of other users of the key, from this hour on. */
  readonly foreign?: readonly { readonly fromHour: number; readonly perMinute: number }[];
};

export type Outcome = {
  readonly requestCount: number;
  readonly sent: number;
  /** The requests of the bot that the upstream refused. */
  readonly rejections: number;
  /** The refused requests by the preceding change of foreign traffic. */
  readonly refusedByChange: readonly number[];
  /** The used share of what the upstream allows. */
  readonly used: number;
  /** Jain's index over the permits of each person. */
  readonly fairness: number;
  /** The longest wait for a permit, of those who got one (ms). */
  readonly longest: number;
};

const T0 = 1_700_000_000_000;
const HOUR = 3_600_000;
const WORKERS = 8;
/** A question waits this long for its permit, and then returns to the queue with a retry time. */
const TIMEOUT_MS = 60_000;
/** A waiting request polls at this interval. */
const POLL_INTERVAL_MS = 3_000;
/** It leaves the wait queue when its wait would exceed its deadline by this much. */
const OVERTIME_MS = 5_000;

/** The real limiter in several workers, checked against the upstream's exact rule. */
export async function underLoad(load: Load): Promise<Outcome> {
  const run = new Run(load);
  await run.play();
  return run.outcome();
}

class Run {
  readonly #load: Load;
  readonly #random: Random;
  readonly #clock = new SimulatedTime(T0);
  readonly #theirs = createBucket(CHAT_LIMIT);
  readonly #workers: readonly KeyRateLimiter[];
  readonly #got: number[];
  readonly #weights: readonly number[];
  readonly #rejections: number[] = [0];
  readonly #end: number;
  #requestCount = 0;
  #sent = 0;
  #foreign = 0;
  #longest = 0;
  #over = false;

  constructor(load: Load) {
    this.#load = load;
    this.#random = createSeededRandom(load.seed);
    this.#end = T0 + load.hours * HOUR;
    this.#got = Array.from({ length: load.people }, () => 0);
    this.#weights = this.#got.map(() => 1 + this.#random() * (load.greed - 1));
    const dynamo = this.#slow(createMemoryDynamo());
    this.#workers = Array.from({ length: WORKERS }, () => {
      const skew = (this.#random() - 0.5) * 60;
      const now = (): number => Math.floor(this.#clock.now + skew);
      return new KeyRateLimiter({
        buckets: new TokenBuckets(dynamo, 'tokens', now),
        random: this.#random,
        family: 'chat',
        limit: CHAT_LIMIT,
        keys: () => Promise.resolve(['key']),
        now,
      });
    });
  }

  async play(): Promise<void> {
    this.#clock.at(this.#end, () => (this.#over = true));
    this.#askAgain();
    for (const { fromHour, perMinute } of this.#load.foreign ?? []) {
      this.#clock.at(T0 + fromHour * HOUR, () => this.#others(perMinute));
    }
    await this.#clock.run(() => this.#over);
  }

  outcome(): Outcome {
    const rejections = this.#rejections.reduce((sum, each) => sum + each, 0);
    const allowed = CHAT_LIMIT.burst + this.#load.hours * 60 * CHAT_LIMIT.perMinute;
    return {
      requestCount: this.#requestCount,
      sent: this.#sent,
      rejections,
      refusedByChange: this.#rejections,
      used: (this.#sent + this.#foreign) / allowed,
      fairness: jain(this.#got),
      longest: this.#longest,
    };
  }

  #askAgain(): void {
    if (this.#over) return;
    void this.#ask(this.#someone());
    const gap = -Math.log(1 - this.#random()) * (60_000 / this.#load.perMinute);
    this.#clock.at(this.#clock.now + gap, () => this.#askAgain());
  }

  #someone(): number {
    const total = this.#weights.reduce((sum, each) => sum + each, 0);
    let at = this.#random() * total;
    return Math.max(
      0,
      this.#weights.findIndex((weight) => (at -= weight) <= 0),
    );
  }

  async #ask(person: number): Promise<void> {
    this.#requestCount += 1;
    const worker = this.#workers[Math.floor(this.#random() * WORKERS)];
    if (!worker) return;
    const until = this.#clock.now + TIMEOUT_MS;
    const began = this.#clock.now;
    const ask = { priority: 'person', person: `p${person}`, requestedAtMs: Math.floor(began) } as const;
    while (this.#clock.now < until) {
      let decision: PermitDecision = await worker.take({
        ...ask,
        maxWaitMs: Math.floor(until - this.#clock.now),
      });
      while (decision.kind === 'waiting') {
        if (this.#clock.now + decision.waitMs > until + OVERTIME_MS) {
          await worker.leave(decision.place);
          decision = { kind: 'refused', retryAfterMs: decision.waitMs };
          break;
        }
        await this.#clock.sleep(Math.min(POLL_INTERVAL_MS, decision.waitMs));
        decision = await worker.poll(decision.place);
      }
      if (decision.kind === 'granted') {
        this.#longest = Math.max(this.#longest, this.#clock.now - began);
        return this.#send(worker, person, decision.permit);
      }
      await this.#clock.sleep(Math.max(decision.retryAfterMs, 2_000 + this.#random() * 8_000));
    }
  }

  async #send(worker: KeyRateLimiter, person: number, permit: RequestPermit): Promise<void> {
    const sentMs = this.#clock.now;
    await this.#clock.sleep(20 + this.#random() ** 3 * 500);
    const { allowed, remaining, waitMs } = this.#theirs.take(this.#clock.now);
    if (allowed) {
      this.#sent += 1;
      this.#got[person] = (this.#got[person] ?? 0) + 1;
    } else {
      this.#rejections[this.#rejections.length - 1] = (this.#rejections.at(-1) ?? 0) + 1;
    }
    await this.#clock.sleep(20 + this.#random() * 100);
    const retryAfterMs = Math.max(1, Math.ceil(waitMs / 1000)) * 1000;
    await worker.report(
      permit,
      allowed
        ? { status: 200, remaining, sentMs }
        : { status: 429, code: 'rate_limit_exceeded', remaining, retryAfterMs, sentMs },
    );
  }

  #others(perMinute: number): void {
    const change = this.#rejections.push(0);
    const again = (): void => {
      if (this.#over || change !== this.#rejections.length || perMinute === 0) return;
      if (this.#theirs.take(this.#clock.now).allowed) this.#foreign += 1;
      this.#clock.at(this.#clock.now + (60_000 / perMinute) * (0.5 + this.#random()), again);
    };
    again();
  }

  #slow(inner: Dynamo): Dynamo {
    const late = async <T>(call: () => Promise<T>): Promise<T> => {
      await this.#clock.sleep(1 + this.#random() * 15);
      return call();
    };
    return {
      ...inner,
      get: (input) => late(() => inner.get(input)),
      update: (input) =>
        late(async () => {
          if (this.#random() < (this.#load.repeated ?? 0)) await inner.update(input).catch(() => undefined);
          return inner.update(input);
        }),
    };
  }
}

/** Jain's index of fairness over permits per weight: 1 is equal, 1/n is everything for one. */
function jain(got: readonly number[]): number {
  const sum = got.reduce((total, each) => total + each, 0);
  const squares = got.reduce((total, each) => total + each * each, 0);
  return squares === 0 ? 1 : sum ** 2 / (got.length * squares);
}
