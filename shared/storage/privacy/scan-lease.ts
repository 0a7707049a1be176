import { createHash } from 'node:crypto';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { numberValue } from '../keys/item-keys.ts';

/** Longer than a page and its pause; a crashed task blocks others no longer than this. */
const LEASE_MS = 60_000;
const TTL_S = 86_400;

export type ScanLeaseConfig = {
  readonly dynamo: Pick<Dynamo, 'update' | 'delete'>;
  readonly table: string;
  readonly now: () => number;
};

const KEY = { pk: { S: 'SCAN' }, sk: { S: 'LEASE' } } as const;

/** The lease for table scans: one task of a deployment at a time, because its pace assumes one. */
export class ScanLease {
  readonly #config: ScanLeaseConfig;

  constructor(config: ScanLeaseConfig) {
    this.#config = config;
  }

  /**
   * Takes or renews the lease for a minute. `holder` is the same for all deliveries and parts of a task. False
   * if another task holds it.
   */
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
        ':holder': { S: hashHolder(holder) },
        ':until': numberValue(at + LEASE_MS),
        ':now': numberValue(at),
        ':ttl': numberValue(at / 1_000 + TTL_S),
      },
    });
    return isConditionMet(update);
  }

  /** Releases the lease, unless another task holds it. */
  async release(holder: string): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    const removal = dynamo.delete({
      TableName,
      Key: KEY,
      ConditionExpression: '#holder = :holder',
      ExpressionAttributeNames: { '#holder': 'holder' },
      ExpressionAttributeValues: { ':holder': { S: hashHolder(holder) } },
    });
    await isConditionMet(removal);
  }
}

/** Hashed, because a task's name may contain a person. */
const hashHolder = (holder: string): string => createHash('sha256').update(holder).digest('base64url');
