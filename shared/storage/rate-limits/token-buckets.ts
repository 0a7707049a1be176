import {
  getHeaderAdjustment,
  type GcraDecision,
  getLatestTat,
  type LearnedLimit,
  type RateLimit,
  reduceLimit,
  type GcraRule,
  SHARED_WINDOW_MS,
  waitUs,
} from '../../rate-limits/index.ts';
import { randomUUID } from 'node:crypto';
import { type BucketState, EMPTY_BUCKET, readBucketState } from './bucket-item.ts';
import { ConditionFailedError, type Dynamo } from '../dynamodb/dynamo.ts';
import { type ExtraWrite, joinClauses, mergeWrites, writeOnce } from '../dynamodb/update-parts.ts';

const TTL_SECONDS = 48 * 3600;
/** The minimum interval between comparisons with the upstream's count, per process. */
const COMPARE_INTERVAL_MS = 1_000;

/** The pause after a 429 without a retry time; doubled after each following one. */
const PAUSE_US = 1e6;
const MAX_PAUSE_US = 15e6;
/** The longest pause that a 429 may ask for: the limit of a day may be that of one model, and a server may be wrong. */
const MAX_REQUESTED_PAUSE_US = 3_600e6;
/** A 429 counts as following another within this time after that one's pause. */
const PAUSE_REMEMBERED_US = 5e6;

/** The maximum wait, and how many requests of the burst are left to others. */
export type TokenRequest = { readonly maxWaitMs: number; readonly headroom?: number | undefined };

/** What a response said about the bucket of a key. */
export type TokenCount = {
  readonly limit: RateLimit;
  /** The remaining requests, by the upstream's count. */
  readonly remaining: number;
  /** When the request was sent (ms since 1970). */
  readonly sentMs: number;
};

type Write = {
  readonly change: string;
  readonly condition: string;
  readonly values: Readonly<Record<string, number>>;
  readonly also?: ExtraWrite | undefined;
};

/** The buckets in the token table, one item per key and family. `now` is ms since 1970. */
export class TokenBuckets {
  readonly #dynamo: Dynamo;
  readonly #table: string;
  readonly #now: () => number;
  // The last state that this process saw. The real `tat` can only be later, except for a fraction of a second
  // after an unused permit was returned. So a refusal based on it is correct.
  readonly #seen = new Map<string, BucketState>();
  readonly #reading = new Map<string, Promise<BucketState>>();
  readonly #compared = new Map<string, number>();

  constructor(dynamo: Dynamo, table: string, now: () => number) {
    this.#dynamo = dynamo;
    this.#table = table;
    this.#now = now;
  }

  /**
   * Takes a permit, or reserves one within `maxWaitMs` from now. Usually one conditional write, at most two;
   * none if the bucket is known to be full. Rejects if the table is unavailable: a token may then be lost,
   * never doubled.
   */
  async take(key: string, rule: GcraRule, { maxWaitMs, headroom = 0 }: TokenRequest): Promise<GcraDecision> {
    // The same `now` for all writes of this call: otherwise the write for an idle bucket would succeed only
    // once per round when the table is slow, and two thirds of the limit would be unused.
    const nowUs = this.#now() * 1000;
    const latest = getLatestTat(rule, nowUs, maxWaitMs * 1000, headroom);
    const known = this.lastSeen(key).tat;
    if (known > latest) return refuse(known, latest);
    for (const write of takeWrites(rule, nowUs, latest, known)) {
      const state = await this.#write(key, write);
      if (state)
        return { granted: true, waitMs: Math.ceil(waitUs(rule, nowUs, state.tat - rule.intervalUs) / 1000) };
    }
    return refuse((await this.#read(key)).tat, latest);
  }

  /**
   * Takes a permit and makes further changes in the same write; undefined if there is no permit, if a condition
   * does not hold, or if this process has an outdated state (`state` reads it). One conditional write.
   */
  async takeNow(
    key: string,
    rule: GcraRule,
    headroom: number,
    also: ExtraWrite,
  ): Promise<BucketState | undefined> {
    const nowUs = this.#now() * 1000;
    const latest = getLatestTat(rule, nowUs, 0, headroom);
    const [write] = takeWrites(rule, nowUs, latest, this.lastSeen(key).tat);
    return write && (await this.#write(key, { ...write, also }));
  }

  /** Makes further changes without taking a permit; undefined if a condition does not hold. */
  change(key: string, also: ExtraWrite): Promise<BucketState | undefined> {
    return this.#write(key, { change: '', condition: '', values: {}, also });
  }

  /** Returns the bucket, at most `maxAgeMs` old. Concurrent callers share one read. One read unit per 4 KB. */
  async state(key: string, maxAgeMs = 0): Promise<BucketState> {
    const seen = this.lastSeen(key);
    if (this.#now() - seen.asOfMs <= maxAgeMs) return seen;
    const reading = this.#reading.get(key) ?? this.#read(key).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  /**
   * Returns an unused permit, and makes the given changes if their conditions hold. One write, or two. The permit is
   * returned once: the second write finds the id of the first one if that took effect without a response.
   */
  async release(key: string, rule: GcraRule, also?: ExtraWrite): Promise<void> {
    const values = { ':cost': rule.intervalUs, ':now': this.#now() * 1000 };
    const back: Write = { change: 'tat = tat - :cost', condition: 'tat > :now', values };
    const once = writeOnce(randomUUID(), this.#now());
    if (also && (await this.#write(key, { ...back, also: mergeWrites(also, once) }))) return;
    await this.#write(key, { ...back, also: once });
  }

  /**
   * Pauses the bucket until `untilMs` (since 1970) after a 429; queue positions stay. Only the first of several 429s of one
   * incident counts: requests that were sent before the end of the last pause change nothing. Without
   * `untilMs`, which counts for an hour at most, the pause is a second, or twice the last pause if that ended recently. `learn` lowers the
   * learned limit.
   */
  async pause(
    key: string,
    rule: GcraRule,
    untilMs: number | undefined,
    sentMs = this.#now(),
    learn = false,
  ): Promise<void> {
    const nowUs = this.#now() * 1000;
    const delayUs =
      untilMs === undefined
        ? pauseLength(await this.#read(key), nowUs)
        : Math.min(MAX_REQUESTED_PAUSE_US, Math.max(0, untilMs * 1000 - nowUs));
    const learned = learn ? reduceLimit(this.lastSeen(key).learned, this.#now()) : undefined;
    await this.#put(key, { delayUs, minTatUs: nowUs + rule.toleranceUs, nowUs, sentMs, learned });
  }

  /** Adopts the upstream's count if it is lower than ours, because other clients use the key. */
  async adopt(key: string, rule: GcraRule, { limit, remaining, sentMs }: TokenCount): Promise<void> {
    const sentUs = sentMs * 1000;
    const missing = ({ tat, pausedUntilUs, sharedUntilUs: until }: BucketState): number =>
      sentUs < pausedUntilUs
        ? 0
        : getHeaderAdjustment({ rule, limit, sentUs, tat, shared: sentUs < until }, remaining);
    const seen = this.lastSeen(key);
    if (missing(seen) === 0) return;
    const isShared = sentUs < seen.sharedUntilUs;
    if (!isShared && this.#now() - (this.#compared.get(key) ?? 0) < COMPARE_INTERVAL_MS) return;
    this.#compared.set(key, this.#now());
    const delayUs = missing(await this.#read(key));
    if (delayUs === 0) return;
    const nowUs = this.#now() * 1000;
    await this.#put(key, { delayUs, minTatUs: nowUs, nowUs, sentMs });
  }

  /** Returns the last state that this process saw, without a read. */
  lastSeen(key: string): BucketState {
    return this.#seen.get(key) ?? EMPTY_BUCKET;
  }

  /** Delays the bucket by `delayUs`; a bucket below `minTatUs` is first filled up to there. */
  async #put(
    key: string,
    {
      delayUs,
      minTatUs,
      nowUs,
      sentMs,
      learned,
    }: Delay & { readonly nowUs: number; readonly sentMs: number },
  ): Promise<void> {
    const marks = learned ? ', learned = :share, learnedat = :since' : ', sharedtill = :shared';
    // `putoff` is read by the previous version, which reserved permits in advance and checks for delays.
    const also = `putoff = if_not_exists(putoff, :zero) + :by, paused = :until, pausedby = :by${marks}`;
    const fresh = '(attribute_not_exists(paused) OR paused <= :sent)';
    const common: Record<string, number> = {
      ':by': delayUs,
      ':zero': 0,
      ':until': nowUs + delayUs,
      ':sent': sentMs * 1000,
      ':above': minTatUs,
      ...(learned
        ? { ':share': Math.round(learned.share * 1e6), ':since': learned.atMs }
        : { ':shared': nowUs + SHARED_WINDOW_MS * 1000 }),
    };
    const below: Write = {
      change: `tat = :next, ${also}`,
      condition: `(attribute_not_exists(tat) OR tat <= :above) AND ${fresh}`,
      values: { ...common, ':next': minTatUs + delayUs },
    };
    const above: Write = {
      change: `tat = tat + :by, ${also}`,
      condition: `tat > :above AND ${fresh}`,
      values: common,
    };
    for (const write of this.lastSeen(key).tat > minTatUs ? [above, below] : [below, above]) {
      if (await this.#write(key, write)) return;
    }
  }

  /** Returns the new state, or undefined if the condition did not hold. */
  async #write(
    key: string,
    { change, condition, values, also = {} }: Write,
  ): Promise<BucketState | undefined> {
    const asOf = this.#now();
    const numbers = Object.entries({ ...values, ':ttl': Math.floor(asOf / 1000) + TTL_SECONDS });
    const set = [change, ...(also.set ?? []), '#ttl = :ttl'].filter((one) => one !== '').join(', ');
    const conditions = [condition, ...(also.conditions ?? [])].filter((one) => one !== '');
    try {
      const { Attributes } = await this.#dynamo.update({
        TableName: this.#table,
        Key: { pk: { S: key } },
        UpdateExpression: `SET ${set} ${joinClauses(also.clauses ?? [])}`.trimEnd(),
        ...(conditions.length > 0 && { ConditionExpression: joinConditions(conditions) }),
        ExpressionAttributeNames: { '#ttl': 'ttl', ...also.names },
        ExpressionAttributeValues: {
          ...Object.fromEntries(numbers.map(([name, n]) => [name, { N: String(n) }])),
          ...also.values,
        },
        ReturnValues: 'ALL_NEW',
      });
      return this.#remember(key, readBucketState(Attributes, asOf));
    } catch (error) {
      if (error instanceof ConditionFailedError) return undefined;
      throw error;
    }
  }

  async #read(key: string): Promise<BucketState> {
    const asOf = this.#now();
    const { Item } = await this.#dynamo.get({
      TableName: this.#table,
      Key: { pk: { S: key } },
      ConsistentRead: true,
    });
    return this.#remember(key, readBucketState(Item, asOf));
  }

  #remember(key: string, state: BucketState): BucketState {
    this.#seen.set(key, state);
    return state;
  }
}

/** DynamoDB rejects unnecessary parentheses. */
const joinConditions = (conditions: readonly string[]): string =>
  conditions.length === 1 ? conditions.join('') : conditions.map((one) => `(${one})`).join(' AND ');

/** The two writes that take a permit, for an idle and for a busy bucket. The more likely one comes first. */
function takeWrites(rule: GcraRule, nowUs: number, latest: number, known: number): readonly Write[] {
  const idle: Write = {
    change: 'tat = :next',
    condition: 'attribute_not_exists(tat) OR tat <= :now',
    values: { ':next': nowUs + rule.intervalUs, ':now': nowUs },
  };
  const busy: Write = {
    change: 'tat = tat + :cost',
    condition: 'tat > :now AND tat <= :latest',
    values: { ':cost': rule.intervalUs, ':now': nowUs, ':latest': latest },
  };
  // A low priority class may have to leave more than an idle bucket has.
  return latest < nowUs ? [] : known > nowUs ? [busy, idle] : [idle, busy];
}

type Delay = {
  readonly delayUs: number;
  readonly minTatUs: number;
  readonly learned?: LearnedLimit | undefined;
};

/** The pause after a 429 without a retry time (us). */
function pauseLength({ pausedUntilUs, pauseUs }: BucketState, nowUs: number): number {
  const isRepeated = nowUs < pausedUntilUs + PAUSE_REMEMBERED_US;
  return isRepeated ? Math.min(MAX_PAUSE_US, Math.max(PAUSE_US, 2 * pauseUs)) : PAUSE_US;
}

const refuse = (tat: number, latest: number): GcraDecision => ({
  granted: false,
  retryAfterMs: Math.max(1, Math.ceil((tat - latest) / 1000)),
});
