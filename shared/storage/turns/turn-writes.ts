import type { TurnRef } from '../../domain/index.ts';
import { ConditionFailed, type Dynamo } from '../dynamodb/dynamo.ts';
import { type Item, keyOf } from './turn-keys.ts';

/** What writing takes of DynamoDB: all that the smallest of the fronts has. */
export type WritesConfig = {
  readonly dynamo: Pick<Dynamo, 'put' | 'update'>;
  readonly table: string;
  /** How long a turn is kept. */
  readonly days: number;
  readonly now: () => number;
};

export const DAY_S = 86_400;

/** The writes that turns are made of, each of one item. */
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

  /** When what is written now expires (s). */
  expiry(): number {
    return this.seconds() + this.#config.days * DAY_S;
  }

  /** Resolves with the item as it is after the change. Rejects with ConditionFailed. */
  async change(ref: TurnKey, change: string, condition: string, values: Item): Promise<Item | undefined> {
    const { Attributes } = await this.#config.dynamo.update({
      TableName: this.#config.table,
      Key: keyOf(ref.thread, ref.message),
      UpdateExpression: change,
      ConditionExpression: condition,
      ...namesIn(change, condition),
      ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
      ReturnValues: 'ALL_NEW',
    });
    return Attributes;
  }

  /** Writes an item unless there is one already. */
  async create(item: Item): Promise<void> {
    const condition = { ConditionExpression: 'attribute_not_exists(pk)' };
    await ignoreRefusedCondition(
      this.#config.dynamo.put({ TableName: this.#config.table, Item: item, ...condition }),
    );
  }
}

export type TurnKey = Pick<TurnRef, 'thread' | 'message'>;

/** The result of a conditional write, or undefined if its condition did not hold. */
export async function ignoreRefusedCondition<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  }
}

/** Some attributes have names that DynamoDB keeps for itself; in expressions they are written with a hash. */
export function namesIn(...expressions: string[]): { ExpressionAttributeNames?: Record<string, string> } {
  const names = expressions.join(' ').match(/#\w+/gu);
  return names ? { ExpressionAttributeNames: Object.fromEntries(names.map((n) => [n, n.slice(1)])) } : {};
}
