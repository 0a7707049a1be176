import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { Thread } from '../../domain/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { ratingsOf } from '../interactions/rating-keys.ts';
import { askedAt, type Item, keyOf, numeral, readItem, type TurnItem } from './turn-item.ts';
import {
  DAY_S,
  namesIn,
  type TurnKey,
  TurnWrites,
  ignoreRefusedCondition,
  type WritesConfig,
} from './turn-writes.ts';

export { ignoreRefusedCondition } from './turn-writes.ts';
export { numeral } from './turn-keys.ts';

export type TurnsConfig = WritesConfig & {
  readonly dynamo: Dynamo;
  /** What was asked so many days ago counts as gone, whenever it expires. */
  readonly noOlderThan?: number;
};

/** The calls that turns are made of, each of one item. */
export class TurnTable extends TurnWrites {
  readonly #config: TurnsConfig;

  constructor(config: TurnsConfig) {
    super(config);
    this.#config = config;
  }

  /** DynamoDB removes expired items up to days late; for us they are gone at once. */
  alive(item: Item): boolean {
    const { noOlderThan = Infinity } = this.#config;
    const oldest = this.seconds() - noOlderThan * DAY_S;
    return Number(item['ttl']?.N ?? 0) > this.seconds() && askedAt(item) >= oldest;
  }

  /** As `change`, with the item read. */
  async update(ref: TurnKey, change: string, condition: string, values: Item): Promise<TurnItem | undefined> {
    const item = await this.change(ref, change, condition, values);
    return item && readItem(item);
  }

  async get(key: Item): Promise<Item | undefined> {
    const { dynamo, table } = this.#config;
    return (await dynamo.get({ TableName: table, Key: key, ConsistentRead: true })).Item;
  }

  async find(ref: TurnKey): Promise<TurnItem | undefined> {
    const item = await this.get(keyOf(ref.thread, ref.message));
    return item && this.alive(item) ? readItem(item) : undefined;
  }

  /** With a turn goes what people think of its answer; first, since nothing would lead there afterwards. */
  async remove(ref: TurnKey, fence: number): Promise<void> {
    const Key = keyOf(ref.thread, ref.message);
    const item = await this.get(Key);
    if (item?.['fence']?.N === String(fence)) await this.removeRatings(item);
    await ignoreRefusedCondition(
      this.#config.dynamo.delete({
        TableName: this.#config.table,
        Key,
        ConditionExpression: 'fence = :fence',
        ExpressionAttributeValues: { ':fence': numeral(fence) },
      }),
    );
  }

  /** Removes what people think of the answer of a turn. */
  async removeRatings(item: Item): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await Promise.all(ratingsOf(item).map((Key) => dynamo.delete({ TableName, Key })));
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

  /** Changes an item by its key, if the condition holds. */
  async changeItem(key: Item, change: string, condition: string, values: Item): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await ignoreRefusedCondition(
      dynamo.update({
        TableName,
        Key: key,
        UpdateExpression: change,
        ConditionExpression: condition,
        ...namesIn(change, condition),
        ExpressionAttributeValues: values,
      }),
    );
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
