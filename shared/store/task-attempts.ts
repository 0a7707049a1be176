import type { Dynamo } from './dynamo.ts';
import { numeral } from './turn-keys.ts';

/** As long as the queue keeps a message. */
const TTL_SECONDS = 4 * 86_400;

export type TaskAttemptsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update'>;
  readonly table: string;
  readonly now: () => number;
};

type EndedAttempt = {
  readonly ended?: 'waits' | 'failed' | undefined;
  readonly alone: boolean;
};

/**
 * What became of the attempts at a task, one small item per message of the queue, in the token table. There is none for a task that
 * is done at its first receive.
 */
export class TaskAttempts {
  readonly #config: TaskAttemptsConfig;

  constructor(config: TaskAttemptsConfig) {
    this.#config = config;
  }

  /** One read unit. */
  async read(messageId: string) {
    const { dynamo, table, now } = this.#config;
    const { Item = {} } = await dynamo.get({ TableName: table, Key: keyOf(messageId), ConsistentRead: true });
    const item = Number(Item['ttl']?.N ?? 0) > now() / 1000 ? Item : {};
    const count = (name: string): number => Number(item[name]?.N ?? 0);
    const tried = item['tried']?.N;
    return {
      handedBack: count('returned'),
      failures: count('failed'),
      crashes: Math.max(0, count('crashes')),
      triedAtMs: tried === undefined ? undefined : Number(tried),
    };
  }

  /** An attempt begins that counts as a crash until it ends. One write unit. */
  async begin(messageId: string): Promise<void> {
    await this.#add(messageId, 'crashes = if_not_exists(crashes, :zero) + :one', { ':one': numeral(1) });
  }

  /** A living process handed the message back. One write unit. */
  async handBack(messageId: string, { ended, alone }: EndedAttempt): Promise<void> {
    const parts = [
      'returned = if_not_exists(returned, :zero) + :one',
      ...(ended === 'failed' ? ['failed = if_not_exists(failed, :zero) + :one'] : []),
      ...(ended === undefined ? [] : ['tried = if_not_exists(tried, :now)']),
      ...(alone ? ['crashes = if_not_exists(crashes, :one) - :one'] : []),
    ];
    const at: Record<string, { N: string }> =
      ended === undefined ? {} : { ':now': numeral(this.#config.now()) };
    await this.#add(messageId, parts.join(', '), { ':one': numeral(1), ...at });
  }

  async #add(messageId: string, change: string, values: Record<string, { N: string }>): Promise<void> {
    const { dynamo, table, now } = this.#config;
    await dynamo.update({
      TableName: table,
      Key: keyOf(messageId),
      UpdateExpression: `SET ${change}, #ttl = :ttl`,
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: {
        ':zero': numeral(0),
        ':ttl': numeral(Math.floor(now() / 1000) + TTL_SECONDS),
        ...values,
      },
    });
  }
}

const keyOf = (messageId: string) => ({ pk: { S: `TASK#${messageId}` } });
