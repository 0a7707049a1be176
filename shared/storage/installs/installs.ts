import * as v from 'valibot';
import { type UserId, userId, type WorkspaceId } from '../../domain/index.ts';
import { INSTALL_ENCRYPTION_CONTEXT } from '../../runtime/shared-names.ts';
import { type Dynamo, ignoreConditionFailure } from '../dynamodb/dynamo.ts';

/** That a Slack workspace, or a whole organisation, has the app, and what lets the bot speak there. */
export type Install = {
  readonly workspace: WorkspaceId;
  readonly name: string;
  readonly botToken: string;
  readonly botUser: UserId;
  readonly scopes: string;
  /** Who installed it, and when (ms since 1970). */
  readonly by: UserId;
  readonly at: number;
  /** Where tokens are rotated: what a new one is had with, and until when the present one serves (ms since 1970). */
  readonly renewal?: { readonly token: string; readonly until: number } | undefined;
};

/** An install as it was read; `version` tells whether it has changed since. */
export type FoundInstall = Install & { readonly version: string };

/** Opens and seals what lies in the table. See `Encryptor` of the runtime. */
type Encryption = {
  readonly encrypt: (text: string, about: string) => Promise<Uint8Array>;
  readonly decrypt: (sealed: Uint8Array, about: string) => Promise<string>;
};

export type InstallsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'put' | 'update' | 'delete'>;
  readonly table: string;
  readonly encryptor: Encryption;
  readonly now: () => number;
  /** A text that was never used before. */
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

/** How long whoever renews a token has for it, before another may try. */
const RENEWING_MS = 30_000;

const about = (workspace: WorkspaceId): string => `${INSTALL_ENCRYPTION_CONTEXT}${workspace}`;
const keyOf = (workspace: WorkspaceId) => ({ pk: { S: `INSTALL#slack#${workspace}` }, sk: { S: 'INSTALL' } });

/** The workspaces that have the app. Tokens lie sealed, each for its own workspace alone. */
export class Installs {
  readonly #config: InstallsConfig;

  constructor(config: InstallsConfig) {
    this.#config = config;
  }

  /** Rejects with what the table or the encryptor rejects with. */
  async find(workspace: WorkspaceId): Promise<FoundInstall | undefined> {
    const { dynamo, table: TableName, encryptor } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key: keyOf(workspace), ConsistentRead: true });
    if (!Item) return undefined;
    const { name, sealed, botUser, scopes, by, at, v: version } = v.parse(item, Item);
    const { botToken, renewal } = v.parse(
      secrets,
      JSON.parse(await encryptor.decrypt(sealed.B, about(workspace))),
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

  /** Keeps an install; one that was there before is replaced, as its tokens are by Slack. */
  async save(install: Install): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.put({
      TableName,
      Item: { ...keyOf(install.workspace), ...(await this.#attributes(install)) },
    });
  }

  /** Whether the caller is the one who may renew the token of this version now. */
  async claimRenewal({ workspace, version }: FoundInstall): Promise<boolean> {
    const now = this.#config.now();
    return this.#change(workspace, {
      UpdateExpression: 'SET lease = :until',
      ConditionExpression: 'v = :v AND (attribute_not_exists(lease) OR lease < :now)',
      ExpressionAttributeValues: {
        ':v': { S: version },
        ':now': { N: String(now) },
        ':until': { N: String(now + RENEWING_MS) },
      },
    });
  }

  /** Keeps a renewed token, unless the app was installed anew or removed meanwhile. */
  async saveRenewed({ version, ...install }: FoundInstall): Promise<boolean> {
    const { sealed, v: next } = await this.#attributes(install);
    return this.#change(install.workspace, {
      UpdateExpression: 'SET sealed = :sealed, v = :next REMOVE lease',
      ConditionExpression: 'v = :v',
      ExpressionAttributeValues: { ':v': { S: version }, ':sealed': sealed, ':next': next },
    });
  }

  /** Forgets an install that is not younger than `at` (ms since 1970): news of a removal may come after the next install. */
  async remove(workspace: WorkspaceId, at: number): Promise<boolean> {
    const { dynamo, table: TableName } = this.#config;
    return ignoreConditionFailure(
      dynamo.delete({
        TableName,
        Key: keyOf(workspace),
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
      sealed: { B: await encryptor.encrypt(JSON.stringify({ botToken, renewal }), about(workspace)) },
      botUser: { S: botUser },
      scopes: { S: scopes },
      by: { S: by },
      at: { N: String(at) },
      v: { S: unique() },
    };
  }

  #change(workspace: WorkspaceId, change: Omit<Parameters<Dynamo['update']>[0], 'TableName' | 'Key'>) {
    const { dynamo, table: TableName } = this.#config;
    return ignoreConditionFailure(dynamo.update({ TableName, Key: keyOf(workspace), ...change }));
  }
}
