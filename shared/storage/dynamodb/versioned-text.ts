import { type Dynamo, isConditionMet } from './dynamo.ts';

export type StoredText = { readonly text: string; readonly version: number };

/** A text that several processes change. A write fails if it is not based on the last version. */
export class VersionedText {
  readonly #dynamo: Dynamo;
  readonly #table: string;
  readonly #key: { readonly pk: { readonly S: string } };

  /** `table` has only a partition key. */
  constructor(dynamo: Dynamo, table: string, name: string) {
    this.#dynamo = dynamo;
    this.#table = table;
    this.#key = { pk: { S: `VERSIONED#${name}` } };
  }

  /** Undefined if nothing was saved. */
  async load(): Promise<StoredText | undefined> {
    const { Item } = await this.#dynamo.get({
      TableName: this.#table,
      Key: this.#key,
      ConsistentRead: true,
    });
    const [text, version] = [Item?.['place']?.S, Number(Item?.['version']?.N)];
    return text === undefined || !Number.isInteger(version) ? undefined : { text, version };
  }

  /**
   * Saves a text as version `version + 1`; 0 means that nothing was saved before. False if another process has
   * saved since `version` was loaded. Rejects if the table is unavailable; the text may be saved nevertheless.
   */
  async save(text: string, version: number): Promise<boolean> {
    const known = version === 0 ? 'attribute_not_exists(#version)' : '#version = :known';
    return isConditionMet(
      this.#dynamo.update({
        TableName: this.#table,
        Key: this.#key,
        UpdateExpression: 'SET place = :place, #version = :next',
        ConditionExpression: known,
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: {
          ':place': { S: text },
          ':next': { N: String(version + 1) },
          ...(version === 0 ? {} : { ':known': { N: String(version) } }),
        },
      }),
    );
  }
}
