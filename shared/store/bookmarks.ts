import type { Dynamo } from './dynamo.ts';

/** Where a process that reads a stream of events got to: one item, written over again and again. */
export class Bookmarks {
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
    return Item?.['place']?.S;
  }

  async save(text: string): Promise<void> {
    await this.#dynamo.update({
      TableName: this.#table,
      Key: this.#key,
      UpdateExpression: 'SET place = :place',
      ExpressionAttributeValues: { ':place': { S: text } },
    });
  }
}
