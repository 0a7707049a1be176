import { createHash } from 'node:crypto';
import { type Dynamo, ignoreConditionFailure } from '../dynamodb/dynamo.ts';
import { numeral } from '../turns/turn-keys.ts';

/** Longer than a page and the pause behind it take; a task that died holds others up for no longer. */
const LEASE_MS = 60_000;
const TTL_S = 86_400;

export type ScanLeaseConfig = {
  readonly dynamo: Pick<Dynamo, 'update' | 'delete'>;
  readonly table: string;
  readonly now: () => number;
};

const KEY = { pk: { S: 'SCAN' }, sk: { S: 'LEASE' } } as const;

/** The right to read the table through, which one task of a deployment has at a time: its pace is made for one. */
export class ScanLease {
  readonly #config: ScanLeaseConfig;

  constructor(config: ScanLeaseConfig) {
    this.#config = config;
  }

  /** Takes it for a minute, or renews it; `holder` is the same for all deliveries and parts of a task. False while another holds it. */
  take(holder: string): Promise<boolean> {
    const { dynamo, table: TableName, now } = this.#config;
    const at = now();
    const update = dynamo.update({
      TableName,
      Key: KEY,
      UpdateExpression: 'SET #holder = :holder, #until = :until, #ttl = :ttl',
      ConditionExpression: 'attribute_not_exists(#holder) OR #holder = :holder OR #until <= :now',
      ExpressionAttributeNames: { '#holder': 'holder', '#until': 'until', '#ttl': 'ttl' },
      ExpressionAttributeValues: {
        ':holder': { S: nameOf(holder) },
        ':until': numeral(at + LEASE_MS),
        ':now': numeral(at),
        ':ttl': numeral(at / 1_000 + TTL_S),
      },
    });
    return ignoreConditionFailure(update);
  }

  /** Gives it back; nothing where another holds it by now. */
  async release(holder: string): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    const removal = dynamo.delete({
      TableName,
      Key: KEY,
      ConditionExpression: '#holder = :holder',
      ExpressionAttributeNames: { '#holder': 'holder' },
      ExpressionAttributeValues: { ':holder': { S: nameOf(holder) } },
    });
    await ignoreConditionFailure(removal);
  }
}

/** A task may be named after a person. */
const nameOf = (holder: string): string => createHash('sha256').update(holder).digest('base64url');
