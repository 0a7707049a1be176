import type { TurnRef, Attachment, Thread, UserId } from '../../domain/index.ts';
import { PERSON_INDEX } from '../../runtime/index.ts';
import { ConditionFailedError, type Dynamo } from '../dynamodb/dynamo.ts';
import { itemKey } from '../dynamodb/write-ids.ts';
import { type Item, turnKey, numberValue, listRatingKeys, getAskedTimeMs } from '../keys/item-keys.ts';
import { type TurnSignal, parseTurnItem, type TurnItem } from './turn-item.ts';
import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';

/** The writes that turns need: all that the smallest front has. */
type WritesConfig = {
  readonly dynamo: Pick<Dynamo, 'put' | 'update'>;
  readonly table: string;
  /** The retention of turns in days. */
  readonly days: number;
  readonly now: () => number;
};

const DAY_S = 86_400;

/** The writes of turns, each of one item. */
export class TurnWrites {
  readonly #config: WritesConfig;

  constructor(config: WritesConfig) {
    this.#config = config;
  }

  /** ms since 1970. */
  now(): number {
    return this.#config.now();
  }

  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** When an item that is written now expires (s). */
  expiry(): number {
    return this.seconds() + this.#config.days * DAY_S;
  }

  /** Updates a turn. Resolves with the changed item. Rejects with ConditionFailedError. */
  async updateTurn(ref: TurnKey, change: string, condition: string, values: Item): Promise<Item | undefined> {
    const { Attributes } = await this.#config.dynamo.update({
      TableName: this.#config.table,
      Key: turnKey(ref.thread, ref.message),
      UpdateExpression: change,
      ConditionExpression: condition,
      ...attributeNames(change, condition),
      ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
      ReturnValues: 'ALL_NEW',
    });
    return Attributes;
  }

  /** Writes an item unless it exists. Resolves with true if it was written. */
  create(item: Item): Promise<true | undefined> {
    const condition = { ConditionExpression: 'attribute_not_exists(pk)' };
    const write = this.#config.dynamo.put({ TableName: this.#config.table, Item: item, ...condition });
    return ignoreConditionFailure(write.then(() => true));
  }
}

export type TurnKey = Pick<TurnRef, 'thread' | 'message'>;

/** Returns the result of a conditional write, or undefined if its condition did not hold. */
export async function ignoreConditionFailure<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionFailedError) return undefined;
    throw error;
  }
}

/** DynamoDB reserves some attribute names; expressions use them with a hash. Returns the map of these names. */
function attributeNames(...expressions: string[]): {
  ExpressionAttributeNames?: Record<string, string>;
} {
  const names = expressions.join(' ').match(/#\w+/gu);
  return names ? { ExpressionAttributeNames: Object.fromEntries(names.map((n) => [n, n.slice(1)])) } : {};
}

/**
 * Pending questions up to this size are stored with the turn, so that they can be answered together with
 * others. Longer ones would make every write more expensive, and are answered separately.
 */
const MAX_MERGEABLE_BYTES = 600;
/** Each is 1 MB of keys, and costs up to 128 read units. */
const MAX_PERSON_PAGES = 4;

/**
 * Records a message that will be answered. Idempotent. Without `question` it is answered separately, whatever
 * else is pending in its thread. `more`: further attributes. Resolves with true if it was not recorded before.
 */
export function acceptTurn(
  writes: TurnWrites,
  ref: TurnRef,
  question: string | undefined,
  attachments: readonly Attachment[] = [],
  more?: Item,
): Promise<true | undefined> {
  const files = attachments.length > 0 ? JSON.stringify(attachments) : '';
  const isMergeable = Buffer.byteLength((question ?? '') + files) <= MAX_MERGEABLE_BYTES;
  return writes.create({
    ...turnKey(ref.thread, ref.message),
    ...more,
    id: { S: ref.message },
    by: { S: ref.asker },
    ws: { S: ref.askerWorkspace },
    ...(isMergeable && question !== undefined && { ask: { S: question } }),
    ...(isMergeable && files && { files: { S: files } }),
    ttl: numberValue(writes.expiry()),
  });
}

/**
 * The signal was stored. `receipt`: the receipt handle of the turn's waiting task; it must be made visible
 * again.
 */
export type SignalResult = { readonly receipt: string | undefined };

/**
 * Signals the current or next worker of a turn. The turn may end before the worker sees the signal, which it then loses: a deletion is stored a second
 * time as `gone`, which stays. Undefined if nothing was stored, because the turn has ended and
 * is not being answered again.
 */
export function signalTurn(
  writes: TurnWrites,
  turn: TurnKey,
  signal: TurnSignal,
  key = `${writes.now()}`,
): Promise<SignalResult | undefined> {
  const open = '(attribute_not_exists(body) OR lease > :now OR attribute_exists(receipt))';
  // A late edit event must not restore a deleted question.
  const condition = `attribute_exists(pk) AND ${open} AND (attribute_not_exists(mark) OR mark <> :gone)`;
  const values = {
    ':mark': { S: signal },
    ':wish': { S: key },
    ':now': numberValue(writes.now()),
    ':gone': { S: 'deleted' satisfies TurnSignal },
  };
  const change = `SET mark = :mark, wish = :wish${signal === 'deleted' ? ', gone = :now' : ''}`;
  const update = writes.updateTurn(turn, change, condition, values);
  return ignoreConditionFailure(update.then((item) => ({ receipt: item?.['receipt']?.S })));
}

export type TurnsConfig = WritesConfig & {
  readonly dynamo: Dynamo;
  /** Turns that were asked this many days ago count as expired, whatever their `ttl`. */
  readonly noOlderThan?: number;
};

/** The reads and writes of turns, each of one item. */
export class TurnTable extends TurnWrites {
  readonly #config: TurnsConfig;

  constructor(config: TurnsConfig) {
    super(config);
    this.#config = config;
  }

  /** Whether an item has not expired. DynamoDB deletes expired items up to days late. */
  isAlive(item: Item): boolean {
    const { noOlderThan = Infinity } = this.#config;
    const oldestMs = (this.seconds() - noOlderThan * DAY_S) * 1_000;
    return Number(item['ttl']?.N ?? 0) > this.seconds() && getAskedTimeMs(item) >= oldestMs;
  }

  /** Like `updateTurn`, and parses the item. */
  async update(ref: TurnKey, change: string, condition: string, values: Item): Promise<TurnItem | undefined> {
    const item = await this.updateTurn(ref, change, condition, values);
    return item && parseTurnItem(item);
  }

  async get(key: Item): Promise<Item | undefined> {
    const { dynamo, table } = this.#config;
    return (await dynamo.get({ TableName: table, Key: key, ConsistentRead: true })).Item;
  }

  async find(ref: TurnKey): Promise<TurnItem | undefined> {
    const item = await this.get(turnKey(ref.thread, ref.message));
    return item && this.isAlive(item) ? parseTurnItem(item) : undefined;
  }

  /** Deletes a turn and its ratings. The ratings come first, because only the turn leads to them. */
  async remove(ref: TurnKey, fence: number): Promise<void> {
    const Key = turnKey(ref.thread, ref.message);
    const item = await this.get(Key);
    if (item?.['fence']?.N === String(fence)) await this.removeRatings(item);
    await ignoreConditionFailure(
      this.#config.dynamo.delete({
        TableName: this.#config.table,
        Key,
        ConditionExpression: 'fence = :fence',
        ExpressionAttributeValues: { ':fence': numberValue(fence) },
      }),
    );
  }

  /** Deletes the ratings of a turn's answer. */
  async removeRatings(item: Item): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await Promise.all(listRatingKeys(item).map((Key) => dynamo.delete({ TableName, Key })));
  }

  /** Returns the items of a thread between two sort keys, both included. */
  query(
    thread: Thread,
    first: string,
    last: string,
    options: Pick<
      QueryCommandInput,
      'ScanIndexForward' | 'Limit' | 'ConsistentRead' | 'ExclusiveStartKey'
    > = {},
  ) {
    return this.#config.dynamo.query({
      TableName: this.#config.table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': turnKey(thread, thread.root).pk,
        ':first': { S: first },
        ':last': { S: last },
      },
      ...options,
    });
  }

  /** Whether a partition has an item in this range of sort keys. */
  async hasItems(partition: string, first: string, last: string): Promise<boolean> {
    const { Items = [] } = await this.#config.dynamo.query({
      TableName: this.#config.table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': { S: partition }, ':first': { S: first }, ':last': { S: last } },
      Limit: 1,
      ConsistentRead: true,
    });
    return Items.length > 0;
  }

  /**
   * Returns the keys of a person's items whose partition keys begin with a text, the last partitions first, and in no useful order within a
   * partition: what fits into `MAX_PERSON_PAGES` pages of DynamoDB, about 28,000. The index lags behind the table by about a second.
   */
  async keysOfPerson(user: UserId, partition: string): Promise<Item[]> {
    const keys: Item[] = [];
    let from: Item | undefined;
    for (let page = 0; page < MAX_PERSON_PAGES; page += 1) {
      const { Items = [], LastEvaluatedKey } = await this.#config.dynamo.query({
        TableName: this.#config.table,
        IndexName: PERSON_INDEX.name,
        KeyConditionExpression: '#by = :by AND pk BETWEEN :first AND :last',
        ExpressionAttributeNames: { '#by': PERSON_INDEX.partition },
        ExpressionAttributeValues: {
          ':by': { S: user },
          ':first': { S: partition },
          ':last': { S: `${partition}~` },
        },
        ScanIndexForward: false,
        ...(from && { ExclusiveStartKey: from }),
      });
      keys.push(...Items.map(itemKey));
      if (!LastEvaluatedKey) break;
      from = LastEvaluatedKey;
    }
    return keys;
  }

  /** Updates an item if the condition holds. */
  async changeItem(key: Item, change: string, condition: string, values: Item): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await ignoreConditionFailure(
      dynamo.update({
        TableName,
        Key: key,
        UpdateExpression: change,
        ConditionExpression: condition,
        ...attributeNames(change, condition),
        ExpressionAttributeValues: values,
      }),
    );
  }

  /** Returns the due keys of a sparse index for a reason, at most `limit`, the longest due first. */
  async listDueKeys(index: string, reason: string, limit: number): Promise<Item[]> {
    const { Items = [] } = await this.#config.dynamo.query({
      TableName: this.#config.table,
      IndexName: index,
      KeyConditionExpression: '#open = :why AND due <= :now',
      ...attributeNames('#open'),
      ExpressionAttributeValues: { ':why': { S: reason }, ':now': numberValue(this.seconds()) },
      Limit: limit,
    });
    return Items.map(itemKey);
  }
}
