import {
  adoption,
  type Decision,
  latestTat,
  type Learned,
  type Limit,
  lowered,
  type Rule,
  SHARED_MS,
  waitUs,
} from '../limits/index.ts';
import { ConditionFailed, type Dynamo } from './dynamo.ts';

const TTL_SECONDS = 48 * 3600;
/** A process compares the upstream's count with the table's at most this often. */
const COMPARE_EVERY_MS = 1_000;

/** How long everyone waits after a 429 that does not say for how long; after each that follows it, twice as long. */
const PAUSE_US = 1e6;
const MAX_PAUSE_US = 15e6;
/** A 429 follows another if it comes so soon after that one's wait. */
const PAUSE_REMEMBERED_US = 5e6;

/** How long the asker waits at most, and how many requests of the burst it leaves to others. */
export type Asking = { readonly maxWaitMs: number; readonly headroom?: number | undefined };

/** What an answer of the upstream said about a key's bucket. */
export type Count = {
  readonly limit: Limit;
  /** Requests that may be sent now, by the upstream's count. */
  readonly remaining: number;
  /** When the request that it answers was sent (ms since 1970). */
  readonly sentMs: number;
};

type State = {
  readonly tat: number;
  /** By how much the line was put off in all (us). */
  readonly put: number;
  /** Nothing is sent before this (us), which was so long. */
  readonly paused: number;
  readonly pausedBy: number;
  /** Until then the key counts as used elsewhere too (us). */
  readonly shared: number;
  readonly learned?: Learned | undefined;
};
type Write = {
  readonly change: string;
  readonly condition: string;
  readonly values: Readonly<Record<string, number>>;
};
const NOTHING: State = { tat: 0, put: 0, paused: 0, pausedBy: 0, shared: 0 };

/** The buckets in the token table, one item per key and family. `now` is ms since 1970. */
export class Buckets {
  readonly #dynamo: Dynamo;
  readonly #table: string;
  readonly #now: () => number;
  // What the table held when this process last looked. The truth can only be later (but for what was given back unused,
  // a fraction of a second), so refusing by it is right.
  readonly #seen = new Map<string, State>();
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
  async take(key: string, rule: Rule, { maxWaitMs, headroom = 0 }: Asking): Promise<Decision> {
    // One `now` for every write of this take: refreshed between two writes, the idle branch could win only once
    // per round, and two thirds of the allowance would be lost when the table is slow.
    const nowUs = this.#now() * 1000;
    const latest = latestTat(rule, nowUs, maxWaitMs * 1000, headroom);
    const known = this.seen(key).tat;
    if (known > latest) return refused(known, latest);

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
    const branches = latest < nowUs ? [] : known > nowUs ? [busy, idle] : [idle, busy];
    for (const write of branches) {
      const state = await this.#write(key, write);
      if (state) {
        const wait = waitUs(rule, nowUs, state.tat - rule.intervalUs);
        const ahead = Math.floor(wait / rule.intervalUs);
        return { granted: true, waitMs: Math.ceil(wait / 1000), ahead, putOffUs: state.put };
      }
    }
    return refused((await this.#read(key)).tat, latest);
  }

  /** Gives back a slot of which nothing was sent. Whoever waits behind it keeps his own time. */
  async release(key: string, rule: Rule): Promise<void> {
    const values = { ':cost': rule.intervalUs, ':now': this.#now() * 1000 };
    await this.#write(key, { change: 'tat = tat - :cost', condition: 'tat > :now', values }, true);
  }

  /**
   * By how much more a reserved slot was put off since (ms), because the upstream asked all to wait: to be asked when its
   * time has come, and again after that wait. Half a read unit.
   */
  async putOff(key: string, since: number): Promise<{ readonly waitMs: number; readonly putOffUs: number }> {
    const { put } = await this.#read(key, false);
    return { waitMs: Math.max(0, Math.ceil((put - since) / 1000)), putOffUs: put };
  }

  /**
   * Keeps everyone from sending before `untilMs`, as a 429 of the upstream asks; who stands in line keeps his place in
   * it. Of many that tell of one trouble the first counts: what was sent before the last wait was over changes nothing.
   * Where the 429 does not say until when, it is a second, and twice as long as the last time if that is just over.
   * `learn` uses less of the limit from now on.
   */
  async pause(
    key: string,
    rule: Rule,
    untilMs: number | undefined,
    sentMs = this.#now(),
    learn = false,
  ): Promise<void> {
    const nowUs = this.#now() * 1000;
    const byUs =
      untilMs === undefined ? pauseAfter(await this.#read(key), nowUs) : Math.max(0, untilMs * 1000 - nowUs);
    const learned = learn ? lowered(this.seen(key).learned, this.#now()) : undefined;
    await this.#put(key, { byUs, aboveUs: nowUs + rule.toleranceUs, nowUs, sentMs, learned });
  }

  /** Adopts the upstream's own count, where it is lower than what this table says: the key is used elsewhere too. */
  async adopt(key: string, rule: Rule, { limit, remaining, sentMs }: Count): Promise<void> {
    const sentUs = sentMs * 1000;
    const missing = ({ tat, paused, shared: until }: State): number =>
      sentUs < paused ? 0 : adoption({ rule, limit, sentUs, tat, shared: sentUs < until }, remaining);
    const seen = this.seen(key);
    if (missing(seen) === 0) return;
    const often = sentUs < seen.shared;
    if (!often && this.#now() - (this.#compared.get(key) ?? 0) < COMPARE_EVERY_MS) return;
    this.#compared.set(key, this.#now());
    const byUs = missing(await this.#read(key));
    if (byUs === 0) return;
    const nowUs = this.#now() * 1000;
    await this.#put(key, { byUs, aboveUs: nowUs, nowUs, sentMs });
  }

  /** What this process knows of a bucket, without asking. */
  seen(key: string): State {
    return this.#seen.get(key) ?? NOTHING;
  }

  /** Puts the line off by `byUs`; a bucket below `aboveUs` is first filled to there. */
  async #put(
    key: string,
    { byUs, aboveUs, nowUs, sentMs, learned }: PutOff & { readonly nowUs: number; readonly sentMs: number },
  ): Promise<void> {
    const marks = learned ? ', learned = :share, learnedat = :since' : ', sharedtill = :shared';
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
        : { ':shared': nowUs + SHARED_MS * 1000 }),
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
  async #write(key: string, { change, condition, values }: Write, lower = false): Promise<State | undefined> {
    const expiry = Math.floor(this.#now() / 1000) + TTL_SECONDS;
    const numbers = Object.entries({ ...values, ':ttl': expiry });
    try {
      const { Attributes } = await this.#dynamo.update({
        TableName: this.#table,
        Key: { pk: { S: key } },
        UpdateExpression: `SET ${change}, #ttl = :ttl`,
        ConditionExpression: condition,
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: Object.fromEntries(numbers.map(([name, n]) => [name, { N: String(n) }])),
        ReturnValues: 'ALL_NEW',
      });
      return this.#remember(key, stateOf(Attributes), lower);
    } catch (error) {
      if (error instanceof ConditionFailed) return undefined;
      throw error;
    }
  }

  async #read(key: string, consistent = true): Promise<State> {
    const { Item } = await this.#dynamo.get({
      TableName: this.#table,
      Key: { pk: { S: key } },
      ConsistentRead: consistent,
    });
    return this.#remember(key, stateOf(Item));
  }

  #remember(key: string, state: State, lower = false): State {
    const { tat } = this.seen(key);
    this.#seen.set(key, lower ? state : { ...state, tat: Math.max(tat, state.tat) });
    return state;
  }
}

type PutOff = { readonly byUs: number; readonly aboveUs: number; readonly learned?: Learned | undefined };

function stateOf(item: Awaited<ReturnType<Dynamo['get']>>['Item']): State {
  const number = (name: string): number => Number(item?.[name]?.N ?? 0);
  const learned = item?.['learned'] && { share: number('learned') / 1e6, atMs: number('learnedat') };
  return {
    tat: number('tat'),
    put: number('putoff'),
    paused: number('paused'),
    pausedBy: number('pausedby'),
    shared: number('sharedtill'),
    learned,
  };
}

/** How long to wait after a 429 that does not say so (us). */
function pauseAfter({ paused, pausedBy }: State, nowUs: number): number {
  const again = nowUs < paused + PAUSE_REMEMBERED_US;
  return again ? Math.min(MAX_PAUSE_US, Math.max(PAUSE_US, 2 * pausedBy)) : PAUSE_US;
}

const refused = (tat: number, latest: number): Decision => ({
  granted: false,
  retryAfterMs: Math.max(1, Math.ceil((tat - latest) / 1000)),
});
