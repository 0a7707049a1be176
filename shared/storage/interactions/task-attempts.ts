import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { numberValue } from '../keys/item-keys.ts';
import { ignoreConditionFailure } from '../turns/turn-table.ts';

/** As long as the queue keeps a message. */
const TTL_SECONDS = 4 * 86_400;

export type TaskAttemptsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update'>;
  readonly table: string;
  readonly now: () => number;
};

type AttemptEnd = {
  readonly ended?: 'waits' | 'failed' | undefined;
  readonly isRecorded: boolean;
};

/**
 * The attempts of tasks, one small item per queue message in the token table. A task that is done at its first
 * receive has none.
 */
export class TaskAttempts {
  readonly #config: TaskAttemptsConfig;

  constructor(config: TaskAttemptsConfig) {
    this.#config = config;
  }

  /** One read unit. */
  async read({ id, receives }: Receive) {
    const { dynamo, table, now } = this.#config;
    const { Item = {} } = await dynamo.get({ TableName: table, Key: taskKey(id), ConsistentRead: true });
    const item = Number(Item['ttl']?.N ?? 0) > now() / 1000 ? Item : {};
    const count = (name: string): number => Number(item[name]?.N ?? 0);
    const moment = (name: string): number | undefined =>
      item[name]?.N === undefined ? undefined : count(name);
    return {
      returned: count('returned'),
      failures: count('failed'),
      // Without this receive: it may have been delivered twice, and the other process may still run.
      crashes: (item['begun']?.SS ?? []).filter((nth) => Number(nth) < receives).length,
      isolatedSinceMs: moment('alone'),
      firstEndedAtMs: moment('tried'),
    };
  }

  /**
   * Records the start of an attempt, which counts as a crash until it ends. Resolves with false if an attempt
   * was started at this receive before: another process has the message. One write unit.
   */
  async begin({ id, receives }: Receive): Promise<boolean> {
    const values = {
      ':now': numberValue(this.#config.now()),
      ':nth': { SS: [String(receives)] },
      ':last': numberValue(receives),
    };
    const change = 'SET #ttl = :ttl, alone = if_not_exists(alone, :now), latest = :last ADD begun :nth';
    const isFirst = 'attribute_not_exists(latest) OR latest < :last';
    return ignoreConditionFailure(this.#update(id, change, values, isFirst).then(() => true)).then(Boolean);
  }

  /** A living process handed the message back. One write unit. */
  async handBack({ id, receives }: Receive, { ended, isRecorded }: AttemptEnd): Promise<void> {
    const parts = [
      '#ttl = :ttl',
      'returned = if_not_exists(returned, :zero) + :one',
      ...(ended === 'failed' ? ['failed = if_not_exists(failed, :zero) + :one'] : []),
      ...(ended === undefined ? [] : ['tried = if_not_exists(tried, :now)']),
    ];
    await this.#update(id, `SET ${parts.join(', ')}${isRecorded ? ' DELETE begun :nth' : ''}`, {
      ':zero': numberValue(0),
      ':one': numberValue(1),
      ...(ended === undefined ? {} : { ':now': numberValue(this.#config.now()) }),
      ...(isRecorded ? { ':nth': { SS: [String(receives)] } } : {}),
    });
  }

  async #update(
    id: string,
    change: string,
    values: Record<string, AttributeValue>,
    condition?: string,
  ): Promise<void> {
    const { dynamo, table, now } = this.#config;
    await dynamo.update({
      TableName: table,
      Key: taskKey(id),
      UpdateExpression: change,
      ConditionExpression: condition,
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: {
        ':ttl': numberValue(Math.floor(now() / 1000) + TTL_SECONDS),
        ...values,
      },
    });
  }
}

/** A receive of a message, identified by its number. */
type Receive = { readonly id: string; readonly receives: number };

const taskKey = (id: string) => ({ pk: { S: `TASK#${id}` } });
