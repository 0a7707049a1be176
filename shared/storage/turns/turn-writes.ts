import type { TurnRef } from '../../domain/index.ts';
import { ConditionFailedError, type Dynamo } from '../dynamodb/dynamo.ts';
import { type Item, turnKey } from '../keys/turn-keys.ts';

/** The writes that turns need: all that the smallest front has. */
export type WritesConfig = {
  readonly dynamo: Pick<Dynamo, 'put' | 'update'>;
  readonly table: string;
  /** The retention of turns in days. */
  readonly days: number;
  readonly now: () => number;
};

export const DAY_S = 86_400;

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

  /** Writes an item unless it exists. */
  async create(item: Item): Promise<void> {
    const condition = { ConditionExpression: 'attribute_not_exists(pk)' };
    await resultIfConditionMet(
      this.#config.dynamo.put({ TableName: this.#config.table, Item: item, ...condition }),
    );
  }
}

export type TurnKey = Pick<TurnRef, 'thread' | 'message'>;

/** Returns the result of a conditional write, or undefined if its condition did not hold. */
export async function resultIfConditionMet<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionFailedError) return undefined;
    throw error;
  }
}

/** DynamoDB reserves some attribute names; expressions use them with a hash. Returns the map of these names. */
export function attributeNames(...expressions: string[]): {
  ExpressionAttributeNames?: Record<string, string>;
} {
  const names = expressions.join(' ').match(/#\w+/gu);
  return names ? { ExpressionAttributeNames: Object.fromEntries(names.map((n) => [n, n.slice(1)])) } : {};
}
