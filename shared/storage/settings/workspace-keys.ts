import * as v from 'valibot';
import { type PlatformName, type UserId, type WorkspaceId, userId } from '../../domain/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';

/** The owner of a key: a Slack workspace or a Discord guild. */
export type KeyPlace = { readonly platform: PlatformName; readonly workspace: WorkspaceId };

/** The data of an API key, without the key itself. */
export type WorkspaceKey = {
  /** Distinguishes it from other keys: see `keyName`. */
  readonly name: string;
  /** Who added it, and when (ms since 1970). */
  readonly owner: UserId;
  readonly at: number;
  /** When the upstream rejected it (ms since 1970): it is no longer used. */
  readonly rejectedAt?: number | undefined;
  readonly sealed: Uint8Array;
};

/** Encrypts and decrypts the keys: `Encryptor` of shared/aws. */
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

const encryptionContext = ({ platform, workspace }: KeyPlace): string =>
  `upstream-key#${platform}#${workspace}`;
const workspaceKeyKey = ({ platform, workspace }: KeyPlace) => ({
  pk: { S: `OWNKEY#${platform}#${workspace}` },
  sk: { S: 'KEY' },
});

/**
 * The workspaces' own API keys, one per workspace, each encrypted for it. All methods reject if the table or
 * the encryption fails.
 */
export class WorkspaceKeys {
  readonly #config: WorkspaceKeysConfig;

  constructor(config: WorkspaceKeysConfig) {
    this.#config = config;
  }

  async find(place: KeyPlace): Promise<WorkspaceKey | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key: workspaceKeyKey(place), ConsistentRead: true });
    if (!Item) return undefined;
    const { name, sealed, owner, at, refused } = v.parse(item, Item);
    return {
      name: name.S,
      owner: userId(owner.S),
      at: Number(at.N),
      rejectedAt: refused && Number(refused.N),
      sealed: sealed.B,
    };
  }

  /** Returns the API key. */
  decrypt(place: KeyPlace, { sealed }: Pick<WorkspaceKey, 'sealed'>): Promise<string> {
    return this.#config.encryptor.decrypt(sealed, encryptionContext(place));
  }

  /** Stores a key and replaces the earlier one. */
  async save(
    place: KeyPlace,
    key: { readonly name: string; readonly value: string; readonly owner: UserId },
  ): Promise<void> {
    const { dynamo, table: TableName, encryptor, now } = this.#config;
    await dynamo.put({
      TableName,
      Item: {
        ...workspaceKeyKey(place),
        name: { S: key.name },
        sealed: { B: await encryptor.encrypt(key.value, encryptionContext(place)) },
        owner: { S: key.owner },
        at: { N: String(now()) },
      },
    });
  }

  async remove(place: KeyPlace): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.delete({ TableName, Key: workspaceKeyKey(place) });
  }

  /**
   * Disables a key that the upstream rejected. True for the one caller that did it, which notifies the owner.
   */
  async markRejected(place: KeyPlace, name: string): Promise<boolean> {
    const { dynamo, table: TableName, now } = this.#config;
    return isConditionMet(
      dynamo.update({
        TableName,
        Key: workspaceKeyKey(place),
        UpdateExpression: 'SET refused = :now',
        ConditionExpression: '#name = :name AND attribute_not_exists(refused)',
        ExpressionAttributeNames: { '#name': 'name' },
        ExpressionAttributeValues: { ':now': { N: String(now()) }, ':name': { S: name } },
      }),
    );
  }
}
