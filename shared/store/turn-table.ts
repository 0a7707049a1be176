import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { Thread, TurnRef } from '../conversation/index.ts';
import { ConditionFailed, type Dynamo } from './dynamo.ts';
import { type Item, keyOf, readItem, type TurnItem } from './turn-item.ts';

export type TurnsConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  /** How long a turn is kept. */
  readonly days: number;
  readonly now: () => number;
};

/** The calls that turns are made of, each of one item. */
export class TurnTable {
  readonly #config: TurnsConfig;

  constructor(config: TurnsConfig) {
    this.#config = config;
  }

  /** ms since 1970. */
  now(): number {
    return this.#config.now();
  }

  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  expiry(): number {
    return this.seconds() + this.#config.days * 86_400;
  }

  /** DynamoDB removes expired items up to days late; for us they are gone at once. */
  alive(item: Item): boolean {
    return Number(item['ttl']?.N ?? 0) > this.seconds();
  }

  /** Resolves with the item as it is after the change. Rejects with ConditionFailed. */
  async update(ref: Place, change: string, condition: string, values: Item): Promise<TurnItem | undefined> {
    const { Attributes } = await this.#config.dynamo.update({
      TableName: this.#config.table,
      Key: keyOf(ref.thread, ref.message),
      UpdateExpression: change,
      ConditionExpression: condition,
      ...namesIn(change, condition),
      ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
      ReturnValues: 'ALL_NEW',
    });
    return Attributes && readItem(Attributes);
  }

  /** Writes an item unless there is one already. */
  async create(item: Item): Promise<void> {
    const condition = { ConditionExpression: 'attribute_not_exists(pk)' };
    await unlessRefused(this.#config.dynamo.put({ TableName: this.#config.table, Item: item, ...condition }));
  }

  async get(key: Item): Promise<Item | undefined> {
    const { dynamo, table } = this.#config;
    return (await dynamo.get({ TableName: table, Key: key, ConsistentRead: true })).Item;
  }

  async find(ref: Place): Promise<TurnItem | undefined> {
    const item = await this.get(keyOf(ref.thread, ref.message));
    return item && this.alive(item) ? readItem(item) : undefined;
  }

  async remove(ref: Place, fence: number): Promise<void> {
    await unlessRefused(
      this.#config.dynamo.delete({
        TableName: this.#config.table,
        Key: keyOf(ref.thread, ref.message),
        ConditionExpression: 'fence = :fence',
        ExpressionAttributeValues: { ':fence': numeral(fence) },
      }),
    );
  }

  /** The items of a thread between two sort keys, both included. */
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
        ':pk': keyOf(thread, thread.root).pk,
        ':first': { S: first },
        ':last': { S: last },
      },
      ...options,
    });
  }

  /** The keys in the sparse index under `why`, due by now, the longest due first. */
  async due(index: string, why: string, most: number): Promise<Item[]> {
    const { Items = [] } = await this.#config.dynamo.query({
      TableName: this.#config.table,
      IndexName: index,
      KeyConditionExpression: '#open = :why AND due <= :now',
      ...namesIn('#open'),
      ExpressionAttributeValues: { ':why': { S: why }, ':now': numeral(this.seconds()) },
      Limit: most,
    });
    return Items.map(({ pk, sk }) => ({ ...(pk && { pk }), ...(sk && { sk }) }));
  }
}

type Place = Pick<TurnRef, 'thread' | 'message'>;

export const numeral = (n: number): { N: string } => ({ N: String(Math.floor(n)) });

/** The result of a conditional write, or undefined if its condition did not hold. */
export async function unlessRefused<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  }
}

/** Some attributes have names that DynamoDB keeps for itself; in expressions they are written with a hash. */
function namesIn(...expressions: string[]): { ExpressionAttributeNames?: Record<string, string> } {
  const names = expressions.join(' ').match(/#\w+/gu) ?? [];
  return names.length > 0
    ? { ExpressionAttributeNames: Object.fromEntries(names.map((n) => [n, n.slice(1)])) }
    : {};
}
