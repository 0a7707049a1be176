import { createHash } from 'node:crypto';
import {
  CLASSES,
  type Family,
  LEARNS,
  learnedLimit,
  type Limit,
  type Priority,
  type Rule,
  ruleFor,
  WITHOUT_TABLE,
} from '../limits/index.ts';
import type { Buckets } from './buckets.ts';
import {
  type Asker,
  type QueuePosition,
  WaitQueues,
  type PositionStatus,
  type Grant,
} from './wait-queues.ts';
import type { KeyPlace } from './own-keys.ts';

/** Who wants to send a request, and how long they would stand in line. */
export type SlotAsk = {
  readonly maxWaitMs: number;
  /** Names the request: who asks with the same id later takes up the position that is kept in the queue until its turn. */
  readonly id?: string | undefined;
  readonly priority: Priority;
  /** For which workspace or guild: it may have a key of its own. */
  readonly home?: KeyPlace | undefined;
  /** A name within the deployment, and how many times the usual share this one has. Without it no share is kept. */
  readonly person?: string | undefined;
  readonly weight?: number | undefined;
  /** When the question was asked (ms since 1970); now, unless told. */
  readonly askedMs?: number | undefined;
  /** The request goes on with an answer that has begun. */
  readonly begun?: boolean | undefined;
};

/** The right to send one request by the key of that name. */
export type Slot = { readonly key: string } & Grant;

/** A position in the wait queue of the key of that name. */
export type SlotPosition = { readonly key: string; readonly place: QueuePosition };

export type SlotDecision =
  /** The request may be sent now. */
  | { readonly kind: 'granted'; readonly slot: Slot }
  /** Waits in the queue, behind `ahead` others. To be polled again after `waitMs` at the latest. */
  | {
      readonly kind: 'waiting';
      readonly place: SlotPosition;
      readonly waitMs: number;
      readonly ahead: number;
    }
  /** Nothing was taken. Worth asking again after `retryAfterMs`, not sooner. */
  | { readonly kind: 'refused'; readonly retryAfterMs: number };

/** How a position in the queue stands. */
export type Waiting = { readonly waitMs: number; readonly ahead: number };

/** What an answer of the upstream said about limits. */
export type Heard = {
  readonly status: number;
  readonly code?: string | undefined;
  readonly remaining?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly sentMs: number;
};

export type SlotsConfig = {
  readonly buckets: Buckets;
  readonly family: Family;
  readonly limit: Limit;
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
/** How often a slot that others were quicker to take is tried before the request joins the queue. */
const MAX_TRIES = 3;
/** The most of the burst that a class leaves to those above it. */
const MAX_LEFT = 0.5;

/** The right to send requests of one family, over all the keys there are: the key's bucket and its wait queue. */
export class KeySlots {
  readonly #config: SlotsConfig;
  readonly #queues: WaitQueues;
  #lastWithoutTable = -Infinity;

  constructor(config: SlotsConfig) {
    this.#config = config;
    this.#queues = new WaitQueues(config.buckets, config.now, config.random);
  }

  /** Takes the right to send one request, or a position in the queue for it. Never rejects for the table: see `WITHOUT_TABLE`. */
  async take(ask: SlotAsk): Promise<SlotDecision> {
    const keys = await this.#config.keys(ask.home);
    try {
      return (await this.#free(keys, ask)) ?? (await this.#stand(keys, ask));
    } catch (error) {
      return this.#withoutTable(keys[0] ?? '', ask.priority, error);
    }
  }

  /**
   * Takes the right to send one request if that is free for the asker at once, without waiting; undefined if it
   * is not, or the table cannot be asked. To be sent, or given back, within half a second: see `EarlySlot`.
   */
  async takeFree(ask: Omit<SlotAsk, 'maxWaitMs'>): Promise<Slot | undefined> {
    try {
      const free = await this.#free(await this.#config.keys(ask.home), ask);
      return free?.slot;
    } catch {
      return undefined;
    }
  }

  /** The status of a position in the queue. If its turn has come, its slot is taken. Never rejects for the table either. */
  async poll(stood: SlotPosition): Promise<Exclude<SlotDecision, { kind: 'refused' }>> {
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
  async find({ id, home }: Pick<SlotAsk, 'home'> & { readonly id: string }): Promise<Waiting | undefined> {
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
  async withdraw({ id, home }: Pick<SlotAsk, 'home'> & { readonly id: string }): Promise<void> {
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
  async leave({ place }: SlotPosition): Promise<void> {
    await this.#queues.leave(place).catch(() => undefined);
  }

  /** Gives back a slot of which nothing was sent. */
  async release({ key, undo }: Slot): Promise<void> {
    const bucket = this.#bucket(key);
    await this.#config.buckets.release(bucket, this.#rule(bucket), undo).catch(() => undefined);
  }

  /** Takes in what an answer said: all workers wait where one is told to. Never rejects. */
  async heard({ key }: Slot, { status, code, remaining, retryAfterMs, sentMs }: Heard): Promise<void> {
    const { buckets, limit, family, now } = this.#config;
    const bucket = this.#bucket(key);
    const full = code === 'model_at_capacity' || code === 'insufficient_quota';
    const learns = LEARNS.has(family);
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

  /** A slot that nobody else waits for, of the key with the most room that has one. */
  async #free(keys: readonly string[], ask: Omit<SlotAsk, 'maxWaitMs'>) {
    const asker = this.#asker(ask);
    for (const key of this.#byRoom(keys)) {
      const bucket = this.#bucket(key);
      const rule = this.#rule(bucket);
      const taken = await this.#queues.takeFree(bucket, rule, asker, headroomOf(ask.priority, rule));
      if (taken) return { kind: 'granted', slot: { key, ...taken } } as const;
    }
    return undefined;
  }

  /** By a fresh read of the queues of all keys: a slot whose turn has come, or a position in the queue with the shortest wait. */
  async #stand(keys: readonly string[], ask: SlotAsk): Promise<SlotDecision> {
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
      if (taken) return { kind: 'granted', slot: { key, ...taken } };
      if (waitMs <= 0 && tries < MAX_TRIES) continue;
      if (!CLASSES[ask.priority].standsInLine || waitMs > ask.maxWaitMs) {
        return { kind: 'refused', retryAfterMs: Math.max(1, waitMs) };
      }
      const stands = await this.#queues.join(bucket, rule, asker);
      return stands ? decisionOf(stands, key) : { kind: 'refused', retryAfterMs: Math.max(RETRY_MS, waitMs) };
    }
  }

  /** The position that a request of this id keeps in the queue of one of the keys; if its turn has come, its slot. */
  async #resume(keys: readonly string[], { id }: Asker): Promise<SlotDecision | undefined> {
    if (id === undefined) return undefined;
    for (const key of keys) {
      const bucket = this.#bucket(key);
      const stands = await this.#queues.find(bucket, this.#rule(bucket), id);
      if (stands) return decisionOf(await this.#queues.poll(stands.place), key);
    }
    return undefined;
  }

  /** A class that never waits in the queue counts for nobody's share. */
  #asker({ id, person, priority, weight = 1, askedMs, begun = false }: Omit<SlotAsk, 'maxWaitMs'>): Asker {
    const counts = person !== undefined && CLASSES[priority].standsInLine;
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

  #rule(bucket: string): Rule {
    const { limit, buckets, family, now } = this.#config;
    if (!LEARNS.has(family)) return ruleFor(limit);
    return ruleFor(learnedLimit(limit, buckets.seen(bucket).learned, now()));
  }

  #withoutTable(key: string, priority: Priority, error: unknown): Exclude<SlotDecision, { kind: 'waiting' }> {
    const { now, withoutTable } = this.#config;
    const rule = WITHOUT_TABLE[priority];
    const everyMs = rule.kind === 'trickle' ? rule.everyMs : RETRY_MS;
    const since = now() - this.#lastWithoutTable;
    const may = rule.kind === 'trickle' && since >= everyMs;
    withoutTable?.(may, error instanceof Error ? error.name : 'unknown');
    if (!may) return { kind: 'refused', retryAfterMs: Math.max(RETRY_MS, everyMs - since) };
    this.#lastWithoutTable = now();
    return { kind: 'granted', slot: { key } };
  }
}

const decisionOf = (stands: PositionStatus, key: string) =>
  stands.sent
    ? ({ kind: 'granted', slot: { key, undo: stands.undo } } as const)
    : ({
        kind: 'waiting',
        place: { key, place: stands.place },
        waitMs: stands.waitMs,
        ahead: stands.ahead,
      } as const);

/** How many requests of the burst a class leaves to those above it. */
const headroomOf = (priority: Priority, { toleranceUs, intervalUs }: Rule): number =>
  Math.min(CLASSES[priority].headroom, Math.floor((toleranceUs / intervalUs) * MAX_LEFT));

/** Tells people, or requests, apart within one item, and no more. */
export const shortName = (name: string): string =>
  createHash('sha256').update(name).digest('base64url').slice(0, 8);
