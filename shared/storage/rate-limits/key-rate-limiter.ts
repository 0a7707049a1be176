import { createHash } from 'node:crypto';
import {
  PRIORITY_CLASSES,
  type EndpointFamily,
  LEARNING_FAMILIES,
  learnedLimit,
  type RateLimit,
  type Priority,
  type GcraRule,
  gcraRule,
  TABLE_OUTAGE_LIMIT,
} from '../../rate-limits/index.ts';
import type { TokenBuckets } from './token-buckets.ts';
import { type WaitingRequest, WaitQueues, type PositionStatus } from './wait-queues.ts';
import type { KeyPlace } from '../settings/workspace-keys.ts';
import type { PermitDecision, PermitPosition, PermitRequest, RequestPermit, Waiting } from './permit.ts';
import { errorName } from '../../utils/error-name.ts';

export type { PermitDecision, PermitPosition, PermitRequest, RequestPermit, Waiting };

/** What an answer of the upstream said about limits. */
export type RateLimitFeedback = {
  readonly status: number;
  readonly code?: string | undefined;
  readonly remaining?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly sentMs: number;
};

export type KeyRateLimiterConfig = {
  readonly buckets: TokenBuckets;
  readonly family: EndpointFamily;
  readonly limit: RateLimit;
  /** The keys that may be used there now, by their names in the table. Any of them will do. */
  readonly keys: (home?: KeyPlace) => Promise<readonly string[]>;
  readonly now: () => number;
  /** In [0, 1): for the ids of those who wait. */
  readonly random: () => number;
  /** Told when the table could not be asked, and what came of it. */
  readonly withoutTable?: ((granted: boolean, error: string) => void) | undefined;
};

/** A 429 that says for how long says no less; and so long after the table was out of reach it is asked again. */
const RETRY_MS = 1_000;
/** How often a permit that others were quicker to take is tried before the request joins the queue. */
const MAX_TRIES = 3;
/** The most of the burst that a class leaves to those above it. */
const MAX_LEFT = 0.5;

/** The right to send requests of one family, over all the keys there are: the key's bucket and its wait queue. */
export class KeyRateLimiter {
  readonly #config: KeyRateLimiterConfig;
  readonly #queues: WaitQueues;
  #lastWithoutTable = -Infinity;

  constructor(config: KeyRateLimiterConfig) {
    this.#config = config;
    this.#queues = new WaitQueues(config.buckets, config.now, config.random);
  }

  /** Takes the right to send one request, or a position in the queue for it. Never rejects for the table: see `TABLE_OUTAGE_LIMIT`. */
  async take(ask: PermitRequest): Promise<PermitDecision> {
    const keys = await this.#config.keys(ask.home);
    try {
      return (await this.#free(keys, ask)) ?? (await this.#stand(keys, ask));
    } catch (error) {
      return this.#withoutTable(keys[0] ?? '', ask.priority, error);
    }
  }

  /**
   * Takes the right to send one request if that is free for the asker at once, without waiting; undefined if it
   * is not, or the table cannot be asked. To be sent, or given back, within half a second: see `PrefetchedPermit`.
   */
  async takeFree(ask: Omit<PermitRequest, 'maxWaitMs'>): Promise<RequestPermit | undefined> {
    try {
      const free = await this.#free(await this.#config.keys(ask.home), ask);
      return free?.permit;
    } catch {
      return undefined;
    }
  }

  /** The status of a position in the queue. If its turn has come, its permit is taken. Never rejects for the table either. */
  async poll(stood: PermitPosition): Promise<Exclude<PermitDecision, { kind: 'refused' }>> {
    const { key, place } = stood;
    try {
      return decisionOf(await this.#queues.poll({ ...place, rule: this.#rule(place.key) }), key);
    } catch (error) {
      const decision = this.#withoutTable(key, 'person', error);
      if (decision.kind !== 'refused') return decision;
      return { kind: 'waiting', place: stood, waitMs: decision.retryAfterMs, ahead: 0 };
    }
  }

  /** How a request of this id stands in the queue; undefined if it does not, or if the table cannot be asked. */
  async find({
    id,
    home,
  }: Pick<PermitRequest, 'home'> & { readonly id: string }): Promise<Waiting | undefined> {
    try {
      for (const key of await this.#config.keys(home)) {
        const bucket = this.#bucket(key);
        const stands = await this.#queues.find(bucket, this.#rule(bucket), shortName(id));
        if (stands) return { waitMs: stands.waitMs, ahead: stands.ahead };
      }
    } catch {
      // The request itself finds out what it comes to.
    }
    return undefined;
  }

  /** Gives up the position that a request of this id keeps in a queue. Never rejects. */
  async withdraw({ id, home }: Pick<PermitRequest, 'home'> & { readonly id: string }): Promise<void> {
    try {
      for (const key of await this.#config.keys(home)) {
        const bucket = this.#bucket(key);
        const stands = await this.#queues.find(bucket, this.#rule(bucket), shortName(id));
        if (stands) await this.#queues.leave(stands.place);
      }
    } catch {
      // Its turn passes, which costs the others half a second.
    }
  }

  /** Leaves the queue. */
  async leave({ place }: PermitPosition): Promise<void> {
    await this.#queues.leave(place).catch(() => undefined);
  }

  /** Gives back a permit of which nothing was sent. */
  async release({ key, undo }: RequestPermit): Promise<void> {
    const bucket = this.#bucket(key);
    await this.#config.buckets.release(bucket, this.#rule(bucket), undo).catch(() => undefined);
  }

  /** Takes in what an answer said: all workers wait where one is told to. Never rejects. */
  async heard(
    { key }: RequestPermit,
    { status, code, remaining, retryAfterMs, sentMs }: RateLimitFeedback,
  ): Promise<void> {
    const { buckets, limit, family, now } = this.#config;
    const bucket = this.#bucket(key);
    const full = code === 'model_at_capacity' || code === 'insufficient_quota';
    const learns = LEARNING_FAMILIES.has(family);
    try {
      if (status === 429 && !full) {
        const until = retryAfterMs === undefined ? undefined : now() + Math.max(RETRY_MS, retryAfterMs);
        await buckets.pause(bucket, this.#rule(bucket), until, sentMs, learns);
      } else if (remaining !== undefined && !learns) {
        await buckets.adopt(bucket, this.#rule(bucket), { limit, remaining, sentMs });
      }
    } catch {
      // The next answer says it again.
    }
  }

  /** A permit that nobody else waits for, of the key with the most room that has one. */
  async #free(keys: readonly string[], ask: Omit<PermitRequest, 'maxWaitMs'>) {
    const asker = this.#asker(ask);
    for (const key of this.#byRoom(keys)) {
      const bucket = this.#bucket(key);
      const rule = this.#rule(bucket);
      const taken = await this.#queues.takeFree(bucket, rule, asker, headroomOf(ask.priority, rule));
      if (taken) return { kind: 'granted', permit: { key, ...taken } } as const;
    }
    return undefined;
  }

  /** By a fresh read of the queues of all keys: a permit whose turn has come, or a position in the queue with the shortest wait. */
  async #stand(keys: readonly string[], ask: PermitRequest): Promise<PermitDecision> {
    const { now } = this.#config;
    const asker = this.#asker(ask);
    const kept = await this.#resume(keys, asker);
    if (kept) return kept;
    for (let tries = 1; ; tries += 1) {
      const readings = await Promise.all(
        keys.map(async (key) => {
          const bucket = this.#bucket(key);
          const rule = this.#rule(bucket);
          const headroom = headroomOf(ask.priority, rule);
          const reading = await this.#queues.turnFor(bucket, rule, asker);
          const dueMs = reading.turn.dueMs + (headroom * rule.intervalUs) / 1000;
          return { key, bucket, rule, headroom, reading, dueMs };
        }),
      );
      const [best] = readings.toSorted((a, b) => a.dueMs - b.dueMs);
      if (!best) return { kind: 'refused', retryAfterMs: RETRY_MS };
      const { key, bucket, rule, headroom, reading } = best;
      const waitMs = Math.ceil(best.dueMs - now());
      const taken = waitMs <= 0 && (await this.#queues.takeTurn(bucket, rule, asker, reading, headroom));
      if (taken) return { kind: 'granted', permit: { key, ...taken } };
      if (waitMs <= 0 && tries < MAX_TRIES) continue;
      if (!PRIORITY_CLASSES[ask.priority].mayQueue || waitMs > ask.maxWaitMs) {
        return { kind: 'refused', retryAfterMs: Math.max(1, waitMs) };
      }
      const stands = await this.#queues.join(bucket, rule, asker);
      return stands ? decisionOf(stands, key) : { kind: 'refused', retryAfterMs: Math.max(RETRY_MS, waitMs) };
    }
  }

  /** The position that a request of this id keeps in the queue of one of the keys; if its turn has come, its permit. */
  async #resume(keys: readonly string[], { id }: WaitingRequest): Promise<PermitDecision | undefined> {
    if (id === undefined) return undefined;
    for (const key of keys) {
      const bucket = this.#bucket(key);
      const stands = await this.#queues.find(bucket, this.#rule(bucket), id);
      if (stands) return decisionOf(await this.#queues.poll(stands.place), key);
    }
    return undefined;
  }

  /** A class that never waits in the queue counts for nobody's share. */
  #asker({
    id,
    person,
    priority,
    weight = 1,
    askedMs,
    begun = false,
  }: Omit<PermitRequest, 'maxWaitMs'>): WaitingRequest {
    const counts = person !== undefined && PRIORITY_CLASSES[priority].mayQueue;
    const short = counts ? shortName(person) : undefined;
    const named = id === undefined ? undefined : shortName(id);
    return { id: named, person: short, weight, askedMs: askedMs ?? this.#config.now(), begun };
  }

  #byRoom(keys: readonly string[]): readonly string[] {
    const tat = (key: string): number => this.#config.buckets.seen(this.#bucket(key)).tat;
    return keys.length < 2 ? keys : keys.toSorted((a, b) => tat(a) - tat(b));
  }

  #bucket(key: string): string {
    return `KEY#${key}#${this.#config.family}`;
  }

  #rule(bucket: string): GcraRule {
    const { limit, buckets, family, now } = this.#config;
    if (!LEARNING_FAMILIES.has(family)) return gcraRule(limit);
    return gcraRule(learnedLimit(limit, buckets.seen(bucket).learned, now()));
  }

  #withoutTable(
    key: string,
    priority: Priority,
    error: unknown,
  ): Exclude<PermitDecision, { kind: 'waiting' }> {
    const { now, withoutTable } = this.#config;
    const rule = TABLE_OUTAGE_LIMIT[priority];
    const everyMs = rule.kind === 'trickle' ? rule.everyMs : RETRY_MS;
    const since = now() - this.#lastWithoutTable;
    const may = rule.kind === 'trickle' && since >= everyMs;
    withoutTable?.(may, errorName(error));
    if (!may) return { kind: 'refused', retryAfterMs: Math.max(RETRY_MS, everyMs - since) };
    this.#lastWithoutTable = now();
    return { kind: 'granted', permit: { key } };
  }
}

const decisionOf = (stands: PositionStatus, key: string) =>
  stands.sent
    ? ({ kind: 'granted', permit: { key, undo: stands.undo } } as const)
    : ({
        kind: 'waiting',
        place: { key, place: stands.place },
        waitMs: stands.waitMs,
        ahead: stands.ahead,
      } as const);

/** How many requests of the burst a class leaves to those above it. */
const headroomOf = (priority: Priority, { toleranceUs, intervalUs }: GcraRule): number =>
  Math.min(PRIORITY_CLASSES[priority].headroom, Math.floor((toleranceUs / intervalUs) * MAX_LEFT));

/** Tells people, or requests, apart within one item, and no more. */
export const shortName = (name: string): string =>
  createHash('sha256').update(name).digest('base64url').slice(0, 8);
