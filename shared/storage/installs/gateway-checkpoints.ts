import type { Dynamo } from '../dynamodb/dynamo.ts';

const DISCARDED_TTL_SECONDS = 86_400;

/** The position of a process in a stream of events: one item that is overwritten. */
export class GatewayCheckpoints {
  readonly #dynamo: Dynamo;
  readonly #table: string;
  readonly #key: { readonly pk: { readonly S: string } };

  /** `name` identifies the stream; `table` has only a partition key. */
  constructor(dynamo: Dynamo, table: string, name: string) {
    this.#dynamo = dynamo;
    this.#table = table;
    this.#key = { pk: { S: `BOOKMARK#${name}` } };
  }

  /** Returns the last saved text; undefined if there is none. */
  async load(): Promise<string | undefined> {
    const { Item } = await this.#dynamo.get({
      TableName: this.#table,
      Key: this.#key,
      ConsistentRead: true,
    });
    // A discarded item may exist for days until DynamoDB deletes it.
    return Item?.['ttl'] ? undefined : Item?.['place']?.S;
  }

  async save(text: string): Promise<void> {
    await this.#dynamo.update({
      TableName: this.#table,
      Key: this.#key,
      UpdateExpression: 'SET place = :place REMOVE #ttl',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':place': { S: text } },
    });
  }

  /** Discards the saved text: it expires within a day, unless it is saved again. */
  async discard(now: number): Promise<void> {
    await this.#dynamo.update({
      TableName: this.#table,
      Key: this.#key,
      UpdateExpression: 'SET #ttl = :ttl',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':ttl': { N: String(Math.floor(now / 1_000) + DISCARDED_TTL_SECONDS) } },
    });
  }
}
