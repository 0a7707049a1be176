import * as v from 'valibot';
import { type UserId, userId } from '../../domain/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { hashSecret } from '../jobs/job-item.ts';
import { type Item, numberValue } from '../keys/item-keys.ts';
import { keySchema } from '../keys/key-schema.ts';
import { createConfirmationCode, readConfirmationCode } from './confirmation-code.ts';
import type { ToolPlace } from './tool-servers.ts';

/** A key or an OAuth token of a server. */
export type ToolCredential = {
  readonly token: string;
  readonly refreshToken?: string | undefined;
  /** What a refresh needs, as JSON. */
  readonly session?: string | undefined;
  /** When the token expires (ms since 1970), if known. */
  readonly expiresAt?: number | undefined;
};

/** A sign-in that has begun. */
export type PendingSignIn = {
  readonly server: string;
  readonly user: UserId;
  /** For everybody, by an administrator; or for this person alone. */
  readonly isShared: boolean;
  readonly session: string;
};

/** A sign-in whose code is exchanged: it has effect when the person who began it confirms it. */
export type HeldSignIn = Pick<PendingSignIn, 'server' | 'user' | 'isShared'> & {
  readonly credential: ToolCredential;
};

type Encryption = {
  readonly encrypt: (text: string, about: string) => Promise<Uint8Array>;
  readonly decrypt: (sealed: Uint8Array, about: string) => Promise<string>;
};

export type ToolCredentialsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'put' | 'update' | 'delete' | 'query'>;
  readonly table: string;
  readonly encryptor: Encryption;
  readonly now: () => number;
};

/** A sign-in has to be finished within this time. */
const SIGN_IN_SECONDS = 900;

const bytes = v.object({ B: v.instance(Uint8Array) });
const text = v.object({ S: v.string() });
const credentialSchema = v.object({
  sealed: bytes,
  refresh: v.optional(bytes),
  session: v.optional(bytes),
  exp: v.optional(v.object({ N: v.string() })),
});
const heldSchema = v.object({
  ...credentialSchema.entries,
  server: text,
  shared: v.object({ BOOL: v.boolean() }),
  ttl: v.object({ N: v.string() }),
});
const signInSchema = v.object({
  by: text,
  server: text,
  shared: v.object({ BOOL: v.boolean() }),
  session: bytes,
  ttl: v.object({ N: v.string() }),
});

/** The encryption context: a ciphertext of one server or workspace cannot be used for another. */
const encryptionContext = ({ platform, workspace }: ToolPlace, server: string): string =>
  `tool-server#${platform}#${workspace}#${server}`;
const partition = ({ platform, workspace }: ToolPlace) => ({ S: `TOOLKEY#${platform}#${workspace}` });
const credentialKey = (place: ToolPlace, server: string, user = '') => ({
  pk: partition(place),
  sk: { S: `SERVER#${server}#${user}` },
});
const signInKey = (place: ToolPlace, state: string) => ({
  pk: { S: `TOOLAUTH#${place.platform}#${place.workspace}` },
  sk: { S: `STATE#${hashSecret(state)}` },
});
const heldKey = (place: ToolPlace, user: UserId, code: string) => ({
  pk: signInKey(place, '').pk,
  sk: { S: `HELD#${hashSecret(`${user} ${code}`)}` },
});

/**
 * Keys and tokens of servers, each encrypted for its workspace and server. Those of a person have `by`, so an erasure deletes them. All methods
 * reject if the table or the encryption fails.
 */
export class ToolCredentials {
  readonly #config: ToolCredentialsConfig;

  constructor(config: ToolCredentialsConfig) {
    this.#config = config;
  }

  /** Returns the credential of the workspace, or of a person. */
  async find(place: ToolPlace, server: string, user?: UserId): Promise<ToolCredential | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const Key = credentialKey(place, server, user);
    const { Item } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    return Item && this.#open(place, server, v.parse(credentialSchema, Item));
  }

  /** Stores a credential and replaces the earlier one. Each part has at most 4,096 bytes: the limit of KMS. */
  async save(place: ToolPlace, server: string, credential: ToolCredential, user?: UserId): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.put({ TableName, Item: await this.#item(place, server, credential, user) });
  }

  /** Replaces a credential by the one that its server renewed. Stores nothing if it was removed or erased meanwhile. */
  async renew(place: ToolPlace, server: string, credential: ToolCredential, user?: UserId): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    const Item = await this.#item(place, server, credential, user);
    await isConditionMet(dynamo.put({ TableName, Item, ConditionExpression: 'attribute_exists(pk)' }));
  }

  async #item(place: ToolPlace, server: string, credential: ToolCredential, user?: UserId): Promise<Item> {
    return {
      ...credentialKey(place, server, user),
      ...(await this.#seal(place, server, credential)),
      ...(user !== undefined && { by: { S: user } }),
    };
  }

  async remove(place: ToolPlace, server: string, user?: UserId): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.delete({ TableName, Key: credentialKey(place, server, user) });
  }

  /** Removes all credentials of a server, those of people too. */
  async removeAll(place: ToolPlace, server: string): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    let start: Item | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await dynamo.query({
        TableName,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: {
          ':pk': partition(place),
          ':first': credentialKey(place, server).sk,
          ':last': credentialKey(place, server, '~').sk,
        },
        Limit: 100,
        ...(start && { ExclusiveStartKey: start }),
      });
      for (const item of Items) {
        const { pk, sk } = v.parse(keySchema, item);
        await dynamo.delete({ TableName, Key: { pk, sk } });
      }
      start = LastEvaluatedKey;
    } while (start);
  }

  /** Stores a sign-in that begins, for 15 minutes. `state` identifies it; only its hash is stored. */
  async begin(place: ToolPlace, state: string, signIn: PendingSignIn): Promise<void> {
    const { dynamo, table: TableName, encryptor, now } = this.#config;
    const { server, user, isShared, session } = signIn;
    await dynamo.put({
      TableName,
      Item: {
        ...signInKey(place, state),
        by: { S: user },
        server: { S: server },
        shared: { BOOL: isShared },
        session: { B: await encryptor.encrypt(session, encryptionContext(place, server)) },
        ttl: numberValue(now() / 1_000 + SIGN_IN_SECONDS),
      },
    });
  }

  /** Returns the person of a sign-in that has begun and is not too old. */
  async findUser(place: ToolPlace, state: string): Promise<UserId | undefined> {
    const { dynamo, table: TableName, now } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key: signInKey(place, state) });
    const { success, output } = v.safeParse(signInSchema, Item);
    return success && Number(output.ttl.N) > now() / 1_000 ? userId(output.by.S) : undefined;
  }

  /** Ends a sign-in and returns it, to one caller only. */
  async take(place: ToolPlace, state: string): Promise<PendingSignIn | undefined> {
    const { dynamo, table: TableName, encryptor, now } = this.#config;
    const Key = signInKey(place, state);
    const { Item } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    const { success, output } = v.safeParse(signInSchema, Item);
    if (!success || Number(output.ttl.N) <= now() / 1_000) return undefined;
    await dynamo.delete({ TableName, Key, ConditionExpression: 'attribute_exists(pk)' });
    const session = await encryptor.decrypt(output.session.B, encryptionContext(place, output.server.S));
    return {
      server: output.server.S,
      user: userId(output.by.S),
      isShared: output.shared.BOOL,
      session,
    };
  }
  /** Stores a sign-in until its person confirms it with the code that follows from `codeOfServer`, for 15 minutes. Only a hash of it is stored. */
  async hold(
    place: ToolPlace,
    codeOfServer: string,
    { server, user, isShared, credential }: HeldSignIn,
  ): Promise<void> {
    const { dynamo, table: TableName, now } = this.#config;
    await dynamo.put({
      TableName,
      Item: {
        ...heldKey(place, user, createConfirmationCode(codeOfServer)),
        ...(await this.#seal(place, server, credential)),
        by: { S: user },
        server: { S: server },
        shared: { BOOL: isShared },
        ttl: numberValue(now() / 1_000 + SIGN_IN_SECONDS),
      },
    });
  }

  /** Returns the sign-in that this person confirms with the code that they typed, to one caller only. */
  async release(place: ToolPlace, typed: string, user: UserId): Promise<HeldSignIn | undefined> {
    const { dynamo, table: TableName, now } = this.#config;
    const Key = heldKey(place, user, readConfirmationCode(typed));
    const { Item } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    if (!Item) return undefined;
    const { server, shared, ttl, ...sealed } = v.parse(heldSchema, Item);
    if (Number(ttl.N) <= now() / 1_000) return undefined;
    const credential = await this.#open(place, server.S, sealed);
    await dynamo.delete({ TableName, Key, ConditionExpression: 'attribute_exists(pk)' });
    return { server: server.S, user, isShared: shared.BOOL, credential };
  }

  async #open(
    place: ToolPlace,
    server: string,
    { sealed, refresh, session, exp }: v.InferOutput<typeof credentialSchema>,
  ): Promise<ToolCredential> {
    const { encryptor } = this.#config;
    const open = (part: { B: Uint8Array } | undefined) =>
      part && encryptor.decrypt(part.B, encryptionContext(place, server));
    return {
      token: await encryptor.decrypt(sealed.B, encryptionContext(place, server)),
      refreshToken: await open(refresh),
      session: await open(session),
      expiresAt: exp && Number(exp.N),
    };
  }

  async #seal(
    place: ToolPlace,
    server: string,
    { token, refreshToken, session, expiresAt }: ToolCredential,
  ): Promise<Item> {
    const { encryptor } = this.#config;
    const seal = async (name: string, secret: string | undefined): Promise<Item> =>
      secret === undefined
        ? {}
        : { [name]: { B: await encryptor.encrypt(secret, encryptionContext(place, server)) } };
    const [sealed, refresh, rest] = await Promise.all([
      seal('sealed', token),
      seal('refresh', refreshToken),
      seal('session', session),
    ]);
    return {
      ...sealed,
      ...refresh,
      ...rest,
      ...(expiresAt !== undefined && { exp: numberValue(expiresAt) }),
    };
  }
}
