import * as v from 'valibot';
import { type UserId, userId, type WorkspaceId } from '../../domain/index.ts';
import { INSTALL_ENCRYPTION_CONTEXT } from '../../runtime/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';

/** The installation of the app in a Slack workspace or organization, with the bot's token. */
export type Install = {
  readonly workspace: WorkspaceId;
  readonly name: string;
  readonly botToken: string;
  readonly botUser: UserId;
  readonly scopes: string;
  /** Who installed it, and when (ms since 1970). */
  readonly by: UserId;
  readonly at: number;
  /** With token rotation: the refresh token, and when the current token expires (ms since 1970). */
  readonly renewal?: { readonly token: string; readonly until: number } | undefined;
};

/** A stored install; `version` changes with every change. */
export type StoredInstall = Install & { readonly version: string };

/** Encrypts and decrypts stored tokens: `Encryptor` of shared/aws. */
type Encryption = {
  readonly encrypt: (text: string, about: string) => Promise<Uint8Array>;
  readonly decrypt: (sealed: Uint8Array, about: string) => Promise<string>;
};

export type InstallsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'put' | 'update' | 'delete'>;
  readonly table: string;
  readonly encryptor: Encryption;
  readonly now: () => number;
  /** Returns a unique text. */
  readonly unique: () => string;
};

const text = v.object({ S: v.string() });
const number = v.object({ N: v.string() });
const item = v.object({
  name: text,
  sealed: v.object({ B: v.instance(Uint8Array) }),
  botUser: text,
  scopes: text,
  by: text,
  at: number,
  v: text,
});
const secrets = v.object({
  botToken: v.string(),
  renewal: v.optional(v.object({ token: v.string(), until: v.number() })),
});

/** How long a token renewal may take before another process may try. */
const RENEWAL_LEASE_MS = 30_000;

const encryptionContext = (workspace: WorkspaceId): string => `${INSTALL_ENCRYPTION_CONTEXT}${workspace}`;
const installKey = (workspace: WorkspaceId) => ({
  pk: { S: `INSTALL#slack#${workspace}` },
  sk: { S: 'INSTALL' },
});

/** The installs of all workspaces. Each token is encrypted for its workspace. */
export class Installs {
  readonly #config: InstallsConfig;

  constructor(config: InstallsConfig) {
    this.#config = config;
  }

  /** Rejects if the table or the decryption fails. */
  async find(workspace: WorkspaceId): Promise<StoredInstall | undefined> {
    const stored = await this.#read(workspace);
    if (!stored) return undefined;
    const { name, sealed, botUser, scopes, by, at, v: version } = v.parse(item, stored);
    const { botToken, renewal } = v.parse(
      secrets,
      JSON.parse(await this.#config.encryptor.decrypt(sealed.B, encryptionContext(workspace))),
    );
    return {
      workspace,
      name: name.S,
      botToken,
      botUser: userId(botUser.S),
      scopes: scopes.S,
      by: userId(by.S),
      at: Number(at.N),
      renewal,
      version: version.S,
    };
  }

  /** Returns the user id of the bot, without decrypting the token. Rejects if the table fails. */
  async findBotUser(workspace: WorkspaceId): Promise<string | undefined> {
    return (await this.#read(workspace))?.['botUser']?.S;
  }

  /** Stores an install and replaces an earlier one, as Slack replaces its tokens. */
  async save(install: Install): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.put({
      TableName,
      Item: { ...installKey(install.workspace), ...(await this.#attributes(install)) },
    });
  }

  /** Claims the renewal of the token of this version. Resolves with whether the caller may renew it. */
  async claimRenewal({ workspace, version }: StoredInstall): Promise<boolean> {
    const now = this.#config.now();
    return this.#change(workspace, {
      UpdateExpression: 'SET lease = :until',
      ConditionExpression: 'v = :v AND (attribute_not_exists(lease) OR lease < :now)',
      ExpressionAttributeValues: {
        ':v': { S: version },
        ':now': { N: String(now) },
        ':until': { N: String(now + RENEWAL_LEASE_MS) },
      },
    });
  }

  /** Stores a renewed token, unless the app was reinstalled or removed meanwhile. */
  async saveRenewed({ version, ...install }: StoredInstall): Promise<boolean> {
    const { sealed, v: next } = await this.#attributes(install);
    return this.#change(install.workspace, {
      UpdateExpression: 'SET sealed = :sealed, v = :next REMOVE lease',
      ConditionExpression: 'v = :v',
      ExpressionAttributeValues: { ':v': { S: version }, ':sealed': sealed, ':next': next },
    });
  }

  /**
   * Deletes an install that is not newer than `at` (ms since 1970): a removal event may arrive after a new
   * install.
   */
  async remove(workspace: WorkspaceId, at: number): Promise<boolean> {
    return isConditionMet(
      this.#config.dynamo.delete({
        ...this.#keyOf(workspace),
        ConditionExpression: 'attribute_not_exists(pk) OR #at <= :at',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: { ':at': { N: String(at) } },
      }),
    );
  }

  async #attributes({ workspace, name, botToken, renewal, botUser, scopes, by, at }: Install) {
    const { encryptor, unique } = this.#config;
    return {
      name: { S: name },
      sealed: {
        B: await encryptor.encrypt(JSON.stringify({ botToken, renewal }), encryptionContext(workspace)),
      },
      botUser: { S: botUser },
      scopes: { S: scopes },
      by: { S: by },
      at: { N: String(at) },
      v: { S: unique() },
    };
  }

  #change(workspace: WorkspaceId, change: Omit<Parameters<Dynamo['update']>[0], 'TableName' | 'Key'>) {
    return isConditionMet(this.#config.dynamo.update({ ...this.#keyOf(workspace), ...change }));
  }

  async #read(workspace: WorkspaceId) {
    return (await this.#config.dynamo.get({ ...this.#keyOf(workspace), ConsistentRead: true })).Item;
  }

  #keyOf(workspace: WorkspaceId) {
    return { TableName: this.#config.table, Key: installKey(workspace) };
  }
}
