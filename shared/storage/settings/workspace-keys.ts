import * as v from 'valibot';
import type { PlatformName, UserId, WorkspaceId } from '../../domain/index.ts';
import { userId } from '../../domain/index.ts';
import { ConditionFailed, type Dynamo } from '../dynamodb/dynamo.ts';

/** Whose key it is: a Slack workspace or a Discord guild. */
export type KeyPlace = { readonly platform: PlatformName; readonly workspace: WorkspaceId };

/** What may be told of a key: never the key. */
export type WorkspaceKey = {
  /** Tells it from other keys: see `keyName`. */
  readonly name: string;
  /** Who brought it along, and when (ms since 1970). */
  readonly owner: UserId;
  readonly at: number;
  /** When the upstream refused it (ms since 1970): it is not used any more. */
  readonly refused?: number | undefined;
  readonly sealed: Uint8Array;
};

/** Opens and seals what lies in the table. See `Encryptor` of the runtime. */
type Encryption = {
  readonly encrypt: (text: string, about: string) => Promise<Uint8Array>;
  readonly decrypt: (sealed: Uint8Array, about: string) => Promise<string>;
};

export type WorkspaceKeysConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'put' | 'update' | 'delete'>;
  readonly table: string;
  readonly encryptor: Encryption;
  readonly now: () => number;
};

const text = v.object({ S: v.string() });
const number = v.object({ N: v.string() });
const item = v.object({
  name: text,
  sealed: v.object({ B: v.instance(Uint8Array) }),
  owner: text,
  at: number,
  refused: v.optional(number),
});

const about = ({ platform, workspace }: KeyPlace): string => `upstream-key#${platform}#${workspace}`;
const keyOf = ({ platform, workspace }: KeyPlace) => ({
  pk: { S: `OWNKEY#${platform}#${workspace}` },
  sk: { S: 'KEY' },
});

/**
 * The keys of the upstream that workspaces bring along, one for each, sealed for it alone. All reject with what the
 * table or the encryptor rejects with.
 */
export class WorkspaceKeys {
  readonly #config: WorkspaceKeysConfig;

  constructor(config: WorkspaceKeysConfig) {
    this.#config = config;
  }

  async find(place: KeyPlace): Promise<WorkspaceKey | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key: keyOf(place), ConsistentRead: true });
    if (!Item) return undefined;
    const { name, sealed, owner, at, refused } = v.parse(item, Item);
    return {
      name: name.S,
      owner: userId(owner.S),
      at: Number(at.N),
      refused: refused && Number(refused.N),
      sealed: sealed.B,
    };
  }

  /** The key itself. */
  decrypt(place: KeyPlace, { sealed }: Pick<WorkspaceKey, 'sealed'>): Promise<string> {
    return this.#config.encryptor.decrypt(sealed, about(place));
  }

  /** Keeps a key; the one before is gone. */
  async save(
    place: KeyPlace,
    key: { readonly name: string; readonly value: string; readonly owner: UserId },
  ): Promise<void> {
    const { dynamo, table: TableName, encryptor, now } = this.#config;
    await dynamo.put({
      TableName,
      Item: {
        ...keyOf(place),
        name: { S: key.name },
        sealed: { B: await encryptor.encrypt(key.value, about(place)) },
        owner: { S: key.owner },
        at: { N: String(now()) },
      },
    });
  }

  async remove(place: KeyPlace): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.delete({ TableName, Key: keyOf(place) });
  }

  /** Takes a key out that the upstream refused. True for the one caller who did so: it is the one to tell its owner. */
  async refuse(place: KeyPlace, name: string): Promise<boolean> {
    const { dynamo, table: TableName, now } = this.#config;
    try {
      await dynamo.update({
        TableName,
        Key: keyOf(place),
        UpdateExpression: 'SET refused = :now',
        ConditionExpression: '#name = :name AND attribute_not_exists(refused)',
        ExpressionAttributeNames: { '#name': 'name' },
        ExpressionAttributeValues: { ':now': { N: String(now()) }, ':name': { S: name } },
      });
      return true;
    } catch (error) {
      if (error instanceof ConditionFailed) return false;
      throw error;
    }
  }
}
