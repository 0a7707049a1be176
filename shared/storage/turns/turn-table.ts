import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { Thread } from '../../domain/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { ratingKeysOfTurn } from '../keys/rating-keys.ts';
import { askedAt, type Item, turnKey, numberValue, parseTurnItem, type TurnItem } from './turn-item.ts';
import {
  DAY_S,
  attributeNames,
  type TurnKey,
  TurnWrites,
  resultIfConditionMet,
  type WritesConfig,
} from './turn-writes.ts';

export { resultIfConditionMet } from './turn-writes.ts';
export { numberValue } from '../keys/turn-keys.ts';

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
  alive(item: Item): boolean {
    const { noOlderThan = Infinity } = this.#config;
    const oldest = this.seconds() - noOlderThan * DAY_S;
    return Number(item['ttl']?.N ?? 0) > this.seconds() && askedAt(item) >= oldest;
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
    return item && this.alive(item) ? parseTurnItem(item) : undefined;
  }

  /** Deletes a turn and its ratings. The ratings come first, because only the turn leads to them. */
  async remove(ref: TurnKey, fence: number): Promise<void> {
    const Key = turnKey(ref.thread, ref.message);
    const item = await this.get(Key);
    if (item?.['fence']?.N === String(fence)) await this.removeRatings(item);
    await resultIfConditionMet(
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
    await Promise.all(ratingKeysOfTurn(item).map((Key) => dynamo.delete({ TableName, Key })));
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

  /** Updates an item if the condition holds. */
  async changeItem(key: Item, change: string, condition: string, values: Item): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await resultIfConditionMet(
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

  /** Returns the due keys of the sparse index under `why`, the longest due first. */
  async due(index: string, why: string, most: number): Promise<Item[]> {
    const { Items = [] } = await this.#config.dynamo.query({
      TableName: this.#config.table,
      IndexName: index,
      KeyConditionExpression: '#open = :why AND due <= :now',
      ...attributeNames('#open'),
      ExpressionAttributeValues: { ':why': { S: why }, ':now': numberValue(this.seconds()) },
      Limit: most,
    });
    return Items.map(({ pk, sk }) => ({ ...(pk && { pk }), ...(sk && { sk }) }));
  }
}
