import {
  headerAdjustment,
  type GcraDecision,
  latestTat,
  type LearnedLimit,
  type RateLimit,
  lowerLimit,
  type GcraRule,
  SHARED_WINDOW_MS,
  waitUs,
} from '../../rate-limits/index.ts';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type BucketState, NOTHING, stateOf } from './bucket-item.ts';
import { ConditionFailed, type Dynamo } from '../dynamodb/dynamo.ts';

const TTL_SECONDS = 48 * 3600;
/** A process compares the upstream's count with the table's at most this often. */
const COMPARE_INTERVAL_MS = 1_000;

/** How long everyone waits after a 429 that does not say for how long; after each that follows it, twice as long. */
const PAUSE_US = 1e6;
const MAX_PAUSE_US = 15e6;
/** A 429 follows another if it comes so soon after that one's wait. */
const PAUSE_REMEMBERED_US = 5e6;

/** How long the asker waits at most, and how many requests of the burst it leaves to others. */
export type TokenRequest = { readonly maxWaitMs: number; readonly headroom?: number | undefined };

/** What an answer of the upstream said about a key's bucket. */
export type TokenCount = {
  readonly limit: RateLimit;
  /** Requests that may be sent now, by the upstream's count. */
  readonly remaining: number;
  /** When the request that it answers was sent (ms since 1970). */
  readonly sentMs: number;
};

type Write = {
  readonly change: string;
  readonly condition: string;
  readonly values: Readonly<Record<string, number>>;
  readonly also?: ExtraWrite | undefined;
};

/** What is changed along with a bucket's count, and what has to hold for it. */
export type ExtraWrite = {
  /** Each of these. */
  readonly conditions?: readonly string[] | undefined;
  /** Further assignments, as of `SET`. */
  readonly set?: readonly string[] | undefined;
  /** Further clauses: `ADD …`, `DELETE …`, `REMOVE …`. */
  readonly clauses?: readonly string[] | undefined;
  readonly names?: Readonly<Record<string, string>> | undefined;
  readonly values?: Readonly<Record<string, AttributeValue>> | undefined;
};

/** The buckets in the token table, one item per key and family. `now` is ms since 1970. */
export class TokenBuckets {
  readonly #dynamo: Dynamo;
  readonly #table: string;
  readonly #now: () => number;
  // What the table held when this process last looked. The truth can only be later, but for what was given back unused, a
  // fraction of a second, and so refusing by it is right.
  readonly #seen = new Map<string, BucketState>();
  readonly #reading = new Map<string, Promise<BucketState>>();
  readonly #compared = new Map<string, number>();

  constructor(dynamo: Dynamo, table: string, now: () => number) {
    this.#dynamo = dynamo;
    this.#table = table;
    this.#now = now;
  }

  /**
   * Takes the right to send one request, or reserves it for at most `maxWaitMs` from now. One conditional write in
   * the steady state, two at most; refusing while the bucket is known to be too full costs none. Rejects when
   * the table does: a token may then be lost, never doubled.
   */
  async take(key: string, rule: GcraRule, { maxWaitMs, headroom = 0 }: TokenRequest): Promise<GcraDecision> {
    // One `now` for every write of this take: refreshed between two writes, the idle branch could win only once
    // per round, and two thirds of the allowance would be lost when the table is slow.
    const nowUs = this.#now() * 1000;
    const latest = latestTat(rule, nowUs, maxWaitMs * 1000, headroom);
    const known = this.seen(key).tat;
    if (known > latest) return refused(known, latest);
    for (const write of takesOf(rule, nowUs, latest, known)) {
      const state = await this.#write(key, write);
      if (state)
        return { granted: true, waitMs: Math.ceil(waitUs(rule, nowUs, state.tat - rule.intervalUs) / 1000) };
    }
    return refused((await this.#read(key)).tat, latest);
  }

  /**
   * Takes the right to send one request now, and changes something along with it; undefined if there is none, if what has
   * to hold does not, or if this process knows the bucket wrongly: then `state` reads it. One conditional write.
   */
  async takeNow(
    key: string,
    rule: GcraRule,
    headroom: number,
    also: ExtraWrite,
  ): Promise<BucketState | undefined> {
    const nowUs = this.#now() * 1000;
    const latest = latestTat(rule, nowUs, 0, headroom);
    const [write] = takesOf(rule, nowUs, latest, this.seen(key).tat);
    return write && (await this.#write(key, { ...write, also }));
  }

  /** Changes something beside the count; undefined if what has to hold for it does not. */
  change(key: string, also: ExtraWrite): Promise<BucketState | undefined> {
    return this.#write(key, { change: '', condition: '', values: {}, also });
  }

  /** The bucket as it was at most `maxAgeMs` ago. Of many who ask at once, one reads. Half a read unit for each 4 KB, twice. */
  async state(key: string, maxAgeMs = 0): Promise<BucketState> {
    const seen = this.seen(key);
    if (this.#now() - seen.asOfMs <= maxAgeMs) return seen;
    const reading = this.#reading.get(key) ?? this.#read(key).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  /** Gives back a permit of which nothing was sent, and with it what is to be taken back if that holds. */
  async release(key: string, rule: GcraRule, also?: ExtraWrite): Promise<void> {
    const values = { ':cost': rule.intervalUs, ':now': this.#now() * 1000 };
    const back: Write = { change: 'tat = tat - :cost', condition: 'tat > :now', values };
    if (also && (await this.#write(key, { ...back, also }))) return;
    await this.#write(key, back);
  }

  /**
   * Keeps everyone from sending before `untilMs`, as a 429 of the upstream asks; who stands in line keeps his place in
   * it. Of many that tell of one trouble the first counts: what was sent before the last wait was over changes nothing.
   * Where the 429 does not say until when, it is a second, and twice as long as the last time if that is just over.
   * `learn` uses less of the limit from now on.
   */
  async pause(
    key: string,
    rule: GcraRule,
    untilMs: number | undefined,
    sentMs = this.#now(),
    learn = false,
  ): Promise<void> {
    const nowUs = this.#now() * 1000;
    const byUs =
      untilMs === undefined ? pauseAfter(await this.#read(key), nowUs) : Math.max(0, untilMs * 1000 - nowUs);
    const learned = learn ? lowerLimit(this.seen(key).learned, this.#now()) : undefined;
    await this.#put(key, { byUs, aboveUs: nowUs + rule.toleranceUs, nowUs, sentMs, learned });
  }

  /** Adopts the upstream's own count, where it is lower than what this table says: the key is used elsewhere too. */
  async adopt(key: string, rule: GcraRule, { limit, remaining, sentMs }: TokenCount): Promise<void> {
    const sentUs = sentMs * 1000;
    const missing = ({ tat, paused, shared: until }: BucketState): number =>
      sentUs < paused ? 0 : headerAdjustment({ rule, limit, sentUs, tat, shared: sentUs < until }, remaining);
    const seen = this.seen(key);
    if (missing(seen) === 0) return;
    const often = sentUs < seen.shared;
    if (!often && this.#now() - (this.#compared.get(key) ?? 0) < COMPARE_INTERVAL_MS) return;
    this.#compared.set(key, this.#now());
    const byUs = missing(await this.#read(key));
    if (byUs === 0) return;
    const nowUs = this.#now() * 1000;
    await this.#put(key, { byUs, aboveUs: nowUs, nowUs, sentMs });
  }

  /** What this process knows of a bucket, without asking. */
  seen(key: string): BucketState {
    return this.#seen.get(key) ?? NOTHING;
  }

  /** Puts the line off by `byUs`; a bucket below `aboveUs` is first filled to there. */
  async #put(
    key: string,
    { byUs, aboveUs, nowUs, sentMs, learned }: PutOff & { readonly nowUs: number; readonly sentMs: number },
  ): Promise<void> {
    const marks = learned ? ', learned = :share, learnedat = :since' : ', sharedtill = :shared';
    // `putoff` is for the version before, whose permits were reserved ahead: it looks whether they were put off.
    const also = `putoff = if_not_exists(putoff, :zero) + :by, paused = :until, pausedby = :by${marks}`;
    const fresh = '(attribute_not_exists(paused) OR paused <= :sent)';
    const common: Record<string, number> = {
      ':by': byUs,
      ':zero': 0,
      ':until': nowUs + byUs,
      ':sent': sentMs * 1000,
      ':above': aboveUs,
      ...(learned
        ? { ':share': Math.round(learned.share * 1e6), ':since': learned.atMs }
        : { ':shared': nowUs + SHARED_WINDOW_MS * 1000 }),
    };
    const below: Write = {
      change: `tat = :next, ${also}`,
      condition: `(attribute_not_exists(tat) OR tat <= :above) AND ${fresh}`,
      values: { ...common, ':next': aboveUs + byUs },
    };
    const above: Write = {
      change: `tat = tat + :by, ${also}`,
      condition: `tat > :above AND ${fresh}`,
      values: common,
    };
    for (const write of this.seen(key).tat > aboveUs ? [above, below] : [below, above]) {
      if (await this.#write(key, write)) return;
    }
  }

  /** The new state, or undefined if the condition did not hold. */
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
        UpdateExpression: [`SET ${set}`, ...(also.clauses ?? [])].join(' '),
        ...(conditions.length > 0 && { ConditionExpression: allOf(conditions) }),
        ExpressionAttributeNames: { '#ttl': 'ttl', ...also.names },
        ExpressionAttributeValues: {
          ...Object.fromEntries(numbers.map(([name, n]) => [name, { N: String(n) }])),
          ...also.values,
        },
        ReturnValues: 'ALL_NEW',
      });
      return this.#remember(key, stateOf(Attributes, asOf));
    } catch (error) {
      if (error instanceof ConditionFailed) return undefined;
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
    return this.#remember(key, stateOf(Item, asOf));
  }

  #remember(key: string, state: BucketState): BucketState {
    this.#seen.set(key, state);
    return state;
  }
}

/** DynamoDB refuses parentheses that are not needed. */
const allOf = (conditions: readonly string[]): string =>
  conditions.length === 1 ? conditions.join('') : conditions.map((one) => `(${one})`).join(' AND ');

/** The two ways to take one request: which of them holds depends on whether the bucket is idle. The likelier comes first. */
function takesOf(rule: GcraRule, nowUs: number, latest: number, known: number): readonly Write[] {
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
  // An idle bucket, taken with no room to spare, would still be refused: a low class leaves more than there is.
  return latest < nowUs ? [] : known > nowUs ? [busy, idle] : [idle, busy];
}

type PutOff = {
  readonly byUs: number;
  readonly aboveUs: number;
  readonly learned?: LearnedLimit | undefined;
};

/** How long to wait after a 429 that does not say so (us). */
function pauseAfter({ paused, pausedBy }: BucketState, nowUs: number): number {
  const again = nowUs < paused + PAUSE_REMEMBERED_US;
  return again ? Math.min(MAX_PAUSE_US, Math.max(PAUSE_US, 2 * pausedBy)) : PAUSE_US;
}

const refused = (tat: number, latest: number): GcraDecision => ({
  granted: false,
  retryAfterMs: Math.max(1, Math.ceil((tat - latest) / 1000)),
});
