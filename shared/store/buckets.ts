import { type Decision, latestTat, type Rule, waitUs } from '../limits/index.ts';
import { ConditionFailed, type Dynamo } from './dynamo.ts';

const TTL_SECONDS = 48 * 3600;

type Write = {
  readonly change: string;
  readonly condition: string;
  readonly values: Readonly<Record<string, number>>;
};

/** The buckets in the token table, one item per key. `now` is ms since 1970. */
export class Buckets {
  readonly #dynamo: Dynamo;
  readonly #table: string;
  readonly #now: () => number;
  // What the table held when this process last looked. The truth can only be later, so refusing by it is right.
  readonly #seen = new Map<string, number>();

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
  async take(key: string, rule: Rule, maxWaitMs: number): Promise<Decision> {
    // One `now` for every write of this take: refreshed between two writes, the idle branch could win only once
    // per round, and two thirds of the allowance would be lost when the table is slow.
    const nowUs = this.#now() * 1000;
    const latest = latestTat(rule, nowUs, maxWaitMs * 1000);
    const known = this.#seen.get(key) ?? 0;
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
    for (const write of known > nowUs ? [busy, idle] : [idle, busy]) {
      const tat = await this.#write(key, write);
      if (tat !== undefined) {
        return { granted: true, waitMs: Math.ceil(waitUs(rule, nowUs, tat - rule.intervalUs) / 1000) };
      }
    }
    return refused(await this.#read(key), latest);
  }

  /** Keeps everyone from sending before `untilMs`, as a 429 of the upstream asks. Never brings the time forward. */
  async pause(key: string, rule: Rule, untilMs: number): Promise<void> {
    await this.#write(key, {
      change: 'tat = :tat',
      condition: 'attribute_not_exists(tat) OR tat < :tat',
      values: { ':tat': untilMs * 1000 + rule.toleranceUs },
    });
  }

  /** The new `tat`, or undefined if the condition did not hold. */
  async #write(key: string, { change, condition, values }: Write): Promise<number | undefined> {
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
        ReturnValues: 'UPDATED_NEW',
      });
      return this.#remember(key, Number(Attributes?.['tat']?.N));
    } catch (error) {
      if (error instanceof ConditionFailed) return undefined;
      throw error;
    }
  }

  async #read(key: string): Promise<number> {
    const { Item } = await this.#dynamo.get({
      TableName: this.#table,
      Key: { pk: { S: key } },
      ConsistentRead: true,
    });
    return this.#remember(key, Number(Item?.['tat']?.N ?? 0));
  }

  #remember(key: string, tat: number): number {
    this.#seen.set(key, Math.max(tat, this.#seen.get(key) ?? 0));
    return tat;
  }
}

const refused = (tat: number, latest: number): Decision => ({
  granted: false,
  retryAfterMs: Math.max(1, Math.ceil((tat - latest) / 1000)),
});
