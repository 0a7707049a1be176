import { ConditionFailed, type Dynamo } from './dynamo.ts';

export type Versioned = { readonly text: string; readonly version: number };

/** One text that several processes read and change: a write that does not know the last one is refused. */
export class VersionedText {
  readonly #dynamo: Dynamo;
  readonly #table: string;
  readonly #key: { readonly pk: { readonly S: string } };

  /** `table` has a partition key alone. */
  constructor(dynamo: Dynamo, table: string, name: string) {
    this.#dynamo = dynamo;
    this.#table = table;
    this.#key = { pk: { S: `VERSIONED#${name}` } };
  }

  /** Undefined if nothing was ever saved. */
  async load(): Promise<Versioned | undefined> {
    const { Item } = await this.#dynamo.get({
      TableName: this.#table,
      Key: this.#key,
      ConsistentRead: true,
    });
    const [text, version] = [Item?.['place']?.S, Number(Item?.['version']?.N)];
    return text === undefined || !Number.isInteger(version) ? undefined : { text, version };
  }

  /**
   * Saves a text as version `version + 1`; 0: nothing was saved before. False if somebody else has saved since `version` was
   * loaded. Rejects when the table cannot be reached: then it may be saved all the same.
   */
  async save(text: string, version: number): Promise<boolean> {
    const known = version === 0 ? 'attribute_not_exists(#version)' : '#version = :known';
    try {
      await this.#dynamo.update({
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
      });
      return true;
    } catch (error) {
      if (error instanceof ConditionFailed) return false;
      throw error;
    }
  }
}
