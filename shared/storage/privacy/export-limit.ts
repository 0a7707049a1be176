import type { PlatformName, UserId, WorkspaceId } from '../../domain/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { numberValue } from '../keys/item-keys.ts';

const HOUR_MS = 3_600_000;

export type ExportLimitConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update'>;
  readonly table: string;
  readonly now: () => number;
  readonly isIndexComplete: () => Promise<boolean>;
};

type Person = {
  readonly platform: PlatformName;
  readonly workspace: WorkspaceId;
  readonly user: UserId;
};

/** Limits exports to one per person and hour, as long as each one scans the whole table. */
export class ExportLimit {
  readonly #config: ExportLimitConfig;

  constructor(config: ExportLimitConfig) {
    this.#config = config;
  }

  /**
   * Counts an export; repeated for the same interaction, it counts once. Undefined if it is allowed; otherwise
   * when the next one is (ms since 1970).
   */
  async take({ platform, workspace, user }: Person, call: string): Promise<number | undefined> {
    const { dynamo, table: TableName, now, isIndexComplete } = this.#config;
    if (await isIndexComplete()) return undefined;
    const at = now();
    const Key = { pk: { S: `EXPORT#${platform}#${workspace}` }, sk: { S: `PERSON#${user}` } };
    const isTaken = await isConditionMet(
      dynamo.update({
        TableName,
        Key,
        UpdateExpression: 'SET #call = :call, #until = :until, #ttl = :ttl',
        ConditionExpression: 'attribute_not_exists(#call) OR #call = :call OR #until <= :now',
        ExpressionAttributeNames: { '#call': 'call', '#until': 'until', '#ttl': 'ttl' },
        ExpressionAttributeValues: {
          ':call': { S: call },
          ':until': numberValue(at + HOUR_MS),
          ':now': numberValue(at),
          ':ttl': numberValue((at + HOUR_MS) / 1_000),
        },
      }),
    );
    if (isTaken) return undefined;
    const { Item } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    return Number(Item?.['until']?.N ?? at);
  }
}
