import type { Holder } from '../limits/index.ts';
import { ConditionFailed, type Dynamo } from './dynamo.ts';

const TTL_SECONDS = 3600;

/** A place that was got: it is free again at `untilMs`, or when it is given back. */
export type LinePlace = { readonly key: string; readonly name: string; readonly untilMs: number };

/** What asking for a place came to. */
export type Held =
  | { readonly held: true; readonly place: LinePlace }
  | { readonly held: false; readonly retryAfterMs: number };

/** How many of the requests that stand in line are one person's, or one channel's: a lease for each, which runs out. */
export class Places {
  readonly #dynamo: Dynamo;
  readonly #table: string;
  readonly #now: () => number;
  /** Until when each place was held when this process last looked, by holder. */
  readonly #seen = new Map<string, readonly number[]>();

  constructor(dynamo: Dynamo, table: string, now: () => number) {
    this.#dynamo = dynamo;
    this.#table = table;
    this.#now = now;
  }

  /** Holds one of the holder's places until then. At most two writes; none while all are known to be held. */
  async hold(holder: Holder, untilMs: number): Promise<Held> {
    const now = this.#now();
    for (const look of [false, true]) {
      const seen = look ? await this.#read(holder) : (this.#seen.get(holder.key) ?? []);
      const free = lanes(holder).findIndex((_, at) => (seen[at] ?? 0) <= now);
      if (free < 0) return { held: false, retryAfterMs: Math.max(1, soonest(holder, seen) - now) };
      const place = { key: holder.key, name: `p${free}`, untilMs };
      if (await this.#write(holder, place, now)) return { held: true, place };
    }
    return { held: false, retryAfterMs: Math.max(1, soonest(holder, await this.#read(holder)) - now) };
  }

  /** Gives a place back before its time: nothing came of it. */
  async free({ key, name, untilMs }: LinePlace): Promise<void> {
    this.#seen.delete(key);
    await this.#update(key, `SET ${name} = :zero`, `${name} = :until`, { ':zero': 0, ':until': untilMs });
  }

  async #write(holder: Holder, { name, untilMs }: LinePlace, now: number): Promise<boolean> {
    const values = { ':until': untilMs, ':now': now, ':ttl': Math.floor(now / 1000) + TTL_SECONDS };
    const condition = `attribute_not_exists(${name}) OR ${name} <= :now`;
    const item = await this.#update(
      holder.key,
      `SET ${name} = :until, #ttl = :ttl`,
      condition,
      values,
      NAMES,
    );
    if (item) this.#seen.set(holder.key, untils(holder, item));
    return item !== undefined;
  }

  async #update(
    key: string,
    change: string,
    condition: string,
    values: Readonly<Record<string, number>>,
    names?: Record<string, string>,
  ): Promise<Item | undefined> {
    try {
      const { Attributes = {} } = await this.#dynamo.update({
        TableName: this.#table,
        Key: { pk: { S: key } },
        UpdateExpression: change,
        ConditionExpression: condition,
        ...(names && { ExpressionAttributeNames: names }),
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(values).map(([name, n]) => [name, { N: String(n) }]),
        ),
        ReturnValues: 'ALL_NEW',
      });
      return Attributes;
    } catch (error) {
      if (error instanceof ConditionFailed) return undefined;
      throw error;
    }
  }

  async #read(holder: Holder): Promise<readonly number[]> {
    const { Item: item = {} } = await this.#dynamo.get({
      TableName: this.#table,
      Key: { pk: { S: holder.key } },
      ConsistentRead: true,
    });
    const seen = untils(holder, item);
    this.#seen.set(holder.key, seen);
    return seen;
  }
}

type Item = NonNullable<Awaited<ReturnType<Dynamo['get']>>['Item']>;
const NAMES = { '#ttl': 'ttl' };

const lanes = ({ places }: Holder): readonly undefined[] => Array.from({ length: places }, () => undefined);
const untils = (holder: Holder, item: Item): number[] =>
  lanes(holder).map((_, at) => Number(item[`p${at}`]?.N ?? 0));
const soonest = (holder: Holder, seen: readonly number[]): number =>
  Math.min(...lanes(holder).map((_, at) => seen[at] ?? 0));
