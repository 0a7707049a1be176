import { hash } from 'node:crypto';
import {
  PRIORITY_CLASSES,
  LEARNING_FAMILIES,
  getLearnedLimit,
  type Priority,
  type GcraRule,
  createGcraRule,
  TABLE_OUTAGE_LIMIT,
} from '../../rate-limits/index.ts';
import type { PositionStatus, WaitingRequest } from './queue-position.ts';
import { WaitQueues } from './wait-queues.ts';
import type {
  KeyRateLimiterConfig,
  PermitDecision,
  PermitPosition,
  PermitRequest,
  QueueStatus,
  RateLimitFeedback,
  RequestPermit,
} from './permit.ts';

type KeptRequest = Pick<PermitRequest, 'home'> & { readonly id: string };

/** The shortest pause after a 429, and the retry interval while the table is unavailable. */
const RETRY_MS = 1_000;
/** How often a permit is tried that another process took first, before the request joins the queue. */
const MAX_ATTEMPTS = 3;
/** A request with a shorter wait stays in its queue. */
const MIN_MOVE_MS = 15_000;
/** The maximum share of the burst that a class leaves to the classes above it. */
const MAX_HEADROOM_SHARE = 0.5;

/** Grants permits for one endpoint family over all keys, with each key's bucket and wait queue. */
export class KeyRateLimiter {
  readonly #config: KeyRateLimiterConfig;
  readonly #queues: WaitQueues;
  #lastWithoutTable = -Infinity;
  /** Since when no call of the table has succeeded (ms since 1970). */
  #outageSince: number | undefined;

  constructor(config: KeyRateLimiterConfig) {
    this.#config = config;
    this.#queues = new WaitQueues(config.buckets, config.now, config.random);
  }

  /** Takes a permit, or a position in the queue. Does not reject if the table is unavailable: see `TABLE_OUTAGE_LIMIT`. */
  async take(ask: PermitRequest): Promise<PermitDecision> {
    const keys = await this.#config.keys(ask.home);
    try {
      const uncontested = await this.#takeUncontested(keys, ask);
      const decision = uncontested ?? (await this.#takeTurnOrPosition(keys, ask));
      this.#outageSince = undefined;
      // It may keep a position in the queue of another key.
      if (uncontested && ask.id !== undefined && keys.length > 1)
        await this.leaveById({ ...ask, id: ask.id });
      return decision;
    } catch (error) {
      return this.#decideWithoutTable(keys[0] ?? '', ask.priority, error);
    }
  }

  /**
   * Takes a permit if one is available immediately; undefined if not, or if the table is unavailable. The
   * permit must be used or released within half a second: see `PrefetchedPermit`.
   */
  async takeFree(ask: Omit<PermitRequest, 'maxWaitMs'>): Promise<RequestPermit | undefined> {
    try {
      const granted = await this.#takeUncontested(await this.#config.keys(ask.home), ask);
      if (granted) this.#outageSince = undefined;
      return granted?.permit;
    } catch {
      return undefined;
    }
  }

  /** Returns the status of a queue position. Takes its permit if its turn has come. Does not reject if the table is unavailable. */
  async poll(place: PermitPosition): Promise<Exclude<PermitDecision, { kind: 'refused' }>> {
    const { key, position } = place;
    try {
      const status = await this.#queues.poll({ ...position, rule: this.#rule(position.key) });
      this.#outageSince = undefined;
      return toDecision(status, key);
    } catch (error) {
      const decision = this.#decideWithoutTable(key, 'person', error);
      if (decision.kind !== 'refused') return decision;
      return { kind: 'waiting', place, waitMs: decision.retryAfterMs, ahead: 0 };
    }
  }

  /**
   * Returns the queue status of a request; undefined if it is not in a queue, if another key is much sooner (then `take` goes there),
   * or if the table is unavailable.
   */
  async find({ id, home }: KeptRequest): Promise<QueueStatus | undefined> {
    try {
      const keys = await this.#config.keys(home);
      const entry = await this.#findPosition(keys, this.#asker({ id, priority: 'person' }));
      return entry?.isMuchLater ? undefined : entry && { waitMs: entry.waitMs, ahead: entry.ahead };
    } catch {
      // The request itself will find out.
      return undefined;
    }
  }

  /** Leaves the queues in which this request keeps a position. Never rejects. */
  async leaveById({ id, home }: KeptRequest): Promise<void> {
    try {
      for (const key of await this.#config.keys(home)) {
        const entry = await this.#findPosition([key], this.#asker({ id, priority: 'person' }));
        if (entry) await this.#queues.leave(entry.place);
      }
    } catch {
      // Its turn passes unused, which delays the others by half a second.
    }
  }

  /** Leaves the queue. */
  async leave({ position }: PermitPosition): Promise<void> {
    await this.#queues.leave(position).catch(() => undefined);
  }

  /** Returns a permit that was not used. */
  async release({ key, undo }: RequestPermit): Promise<void> {
    const bucket = this.#bucket(key);
    await this.#config.buckets.release(bucket, this.#rule(bucket), undo).catch(() => undefined);
  }

  /** Processes the feedback of a response: after a 429, all workers wait. Never rejects. */
  async report(
    { key }: RequestPermit,
    { status, code, remaining, retryAfterMs, sentMs }: RateLimitFeedback,
  ): Promise<void> {
    const { buckets, limit, family, now } = this.#config;
    const bucket = this.#bucket(key);
    const isOtherLimit = code === 'model_at_capacity' || code === 'insufficient_quota';
    const isLearning = LEARNING_FAMILIES.has(family);
    try {
      if (status === 429 && !isOtherLimit) {
        const until = retryAfterMs === undefined ? undefined : now() + Math.max(RETRY_MS, retryAfterMs);
        await buckets.pause(bucket, this.#rule(bucket), until, sentMs, isLearning);
      } else if (remaining !== undefined && !isLearning) {
        await buckets.adopt(bucket, this.#rule(bucket), { limit, remaining, sentMs });
      }
    } catch {
      // The next response repeats it.
    }
  }

  /** Takes a permit for which nobody waits, from the key with the most capacity. */
  async #takeUncontested(keys: readonly string[], ask: Omit<PermitRequest, 'maxWaitMs'>) {
    const asker = this.#asker(ask);
    for (const key of this.#byRoom(keys)) {
      const bucket = this.#bucket(key);
      const rule = this.#rule(bucket);
      const grant = await this.#queues.takeFree(bucket, rule, asker, getHeadroom(ask.priority, rule));
      if (grant) return { kind: 'granted', permit: { key, ...grant } } as const;
    }
    return undefined;
  }

  /** Reads all queues and takes a permit whose turn has come, or a position in the queue with the shortest wait. */
  async #takeTurnOrPosition(keys: readonly string[], ask: PermitRequest): Promise<PermitDecision> {
    const asker = this.#asker(ask);
    const resumed = await this.#resumePosition(keys, asker);
    if (resumed) return resumed;
    for (let attempt = 1; ; attempt += 1) {
      const readings = await Promise.all(
        keys.map(async (key) => {
          const bucket = this.#bucket(key);
          const rule = this.#rule(bucket);
          const headroom = getHeadroom(ask.priority, rule);
          const reading = await this.#queues.predictTurn(bucket, rule, asker);
          const dueMs = reading.turn.dueMs + (headroom * rule.intervalUs) / 1000;
          return { key, bucket, rule, headroom, reading, dueMs };
        }),
      );
      const [best] = readings.toSorted((a, b) => a.dueMs - b.dueMs);
      if (!best) return { kind: 'refused', retryAfterMs: RETRY_MS };
      const { key, bucket, rule, headroom, reading } = best;
      const waitMs = Math.ceil(best.dueMs - this.#config.now());
      const grant = waitMs <= 0 && (await this.#queues.takeTurn(bucket, rule, asker, reading, headroom));
      if (grant) return { kind: 'granted', permit: { key, ...grant } };
      if (waitMs <= 0 && attempt < MAX_ATTEMPTS) continue;
      if (!PRIORITY_CLASSES[ask.priority].mayQueue || waitMs > ask.maxWaitMs) {
        return { kind: 'refused', retryAfterMs: Math.max(1, waitMs) };
      }
      const status = await this.#queues.join(bucket, rule, asker);
      return status ? toDecision(status, key) : { kind: 'refused', retryAfterMs: Math.max(RETRY_MS, waitMs) };
    }
  }

  /**
   * Returns the position that this request keeps in a queue, or its permit if its turn has come. Leaves the queue if another key is much
   * sooner.
   */
  async #resumePosition(keys: readonly string[], asker: WaitingRequest) {
    const entry = await this.#findPosition(keys, asker);
    if (entry && !entry.isMuchLater) return toDecision(await this.#queues.poll(entry.place), entry.key);
    if (entry) await this.#queues.leave(entry.place);
    return undefined;
  }

  /** `isMuchLater`: the wait is long, as after a 429 of its key, and less than half as long with another key. */
  async #findPosition(keys: readonly string[], asker: WaitingRequest) {
    for (const key of asker.id === undefined ? [] : keys) {
      const bucket = this.#bucket(key);
      const entry = await this.#queues.find(bucket, this.#rule(bucket), asker.id ?? '');
      if (!entry) continue;
      const others = entry.waitMs < MIN_MOVE_MS ? [] : keys.filter((other) => other !== key);
      const waits = await Promise.all(others.map((other) => this.#predictWaitMs(this.#bucket(other), asker)));
      return { ...entry, key, isMuchLater: Math.min(...waits) < entry.waitMs / 2 };
    }
    return undefined;
  }

  async #predictWaitMs(bucket: string, asker: WaitingRequest): Promise<number> {
    const { turn } = await this.#queues.predictTurn(bucket, this.#rule(bucket), asker);
    return turn.dueMs - this.#config.now();
  }

  /** A class that may not queue does not count towards a person's share. */
  #asker({
    id,
    person,
    priority,
    weight = 1,
    requestedAtMs,
    isContinuation = false,
  }: Omit<PermitRequest, 'maxWaitMs'>): WaitingRequest {
    const isCounted = person !== undefined && PRIORITY_CLASSES[priority].mayQueue;
    const short = isCounted ? hashName(person) : undefined;
    const named = id === undefined ? undefined : hashName(id);
    return {
      id: named,
      person: short,
      weight,
      requestedAtMs: requestedAtMs ?? this.#config.now(),
      isContinuation,
    };
  }

  #byRoom(keys: readonly string[]): readonly string[] {
    const tat = (key: string): number => this.#config.buckets.lastSeen(this.#bucket(key)).tat;
    return keys.length < 2 ? keys : keys.toSorted((a, b) => tat(a) - tat(b));
  }

  #bucket(key: string): string {
    return `KEY#${key}#${this.#config.family}`;
  }

  #rule(bucket: string): GcraRule {
    const { limit, buckets, family, now } = this.#config;
    if (!LEARNING_FAMILIES.has(family)) return createGcraRule(limit);
    return createGcraRule(getLearnedLimit(limit, buckets.lastSeen(bucket).learned, now()));
  }

  /**
   * Decides while the table is unavailable: see `TABLE_OUTAGE_LIMIT`. A request that gets no permit asks the table again after a second, and after as long as
   * the table has failed: in a burst, the table is often only slow for a moment. The retries differ, so that they are no burst themselves.
   */
  #decideWithoutTable(
    key: string,
    priority: Priority,
    error: unknown,
  ): Exclude<PermitDecision, { kind: 'waiting' }> {
    const { now, onTableUnavailable, random } = this.#config;
    this.#outageSince ??= now();
    const rule = TABLE_OUTAGE_LIMIT[priority];
    const everyMs = rule.kind === 'trickle' ? rule.everyMs : RETRY_MS;
    const since = now() - this.#lastWithoutTable;
    const isGranted = rule.kind === 'trickle' && since >= everyMs;
    onTableUnavailable?.(isGranted, error);
    if (!isGranted) {
      // A clock that is corrected may step back.
      const failingForMs = Math.max(0, now() - this.#outageSince);
      const soonMs = (RETRY_MS + failingForMs) * (0.5 + random());
      return { kind: 'refused', retryAfterMs: Math.min(Math.max(RETRY_MS, everyMs - since), soonMs) };
    }
    this.#lastWithoutTable = now();
    return { kind: 'granted', permit: { key } };
  }
}

const toDecision = (status: PositionStatus, key: string) =>
  status.sent
    ? ({ kind: 'granted', permit: { key, undo: status.undo } } as const)
    : ({
        kind: 'waiting',
        place: { key, position: status.place },
        waitMs: status.waitMs,
        ahead: status.ahead,
      } as const);

/** How many requests of the burst a class leaves to the classes above it. */
const getHeadroom = (priority: Priority, { toleranceUs, intervalUs }: GcraRule): number =>
  Math.min(PRIORITY_CLASSES[priority].headroom, Math.floor((toleranceUs / intervalUs) * MAX_HEADROOM_SHARE));

/** Hashes a name, so that people and requests differ within one item. */
export const hashName = (name: string): string => hash('sha256', name, 'base64url').slice(0, 8);
