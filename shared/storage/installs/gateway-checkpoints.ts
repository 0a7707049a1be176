import type { Dynamo } from '../dynamodb/dynamo.ts';

const DISCARD_SECONDS = 86_400;

/** Where a process that reads a stream of events got to: one item, written over again and again. */
export class GatewayCheckpoints {
  readonly #dynamo: Dynamo;
  readonly #table: string;
  readonly #key: { readonly pk: { readonly S: string } };

  /** `name` names the stream; `table` has a partition key alone. */
  constructor(dynamo: Dynamo, table: string, name: string) {
    this.#dynamo = dynamo;
    this.#table = table;
    this.#key = { pk: { S: `BOOKMARK#${name}` } };
  }

  /** What was saved last; undefined if nothing ever was. */
  async load(): Promise<string | undefined> {
    const { Item } = await this.#dynamo.get({
      TableName: this.#table,
      Key: this.#key,
      ConsistentRead: true,
    });
    // What is discarded may lie there for days until it is taken away.
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

  /** What was saved is needed no more, and goes within a day; saved again, it stays. */
  async discard(now: number): Promise<void> {
    await this.#dynamo.update({
      TableName: this.#table,
      Key: this.#key,
      UpdateExpression: 'SET #ttl = :ttl',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':ttl': { N: String(Math.floor(now / 1_000) + DISCARD_SECONDS) } },
    });
  }
}
