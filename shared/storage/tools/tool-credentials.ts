import * as v from 'valibot';
import { type UserId, userId } from '../../domain/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { hashSecret } from '../jobs/job-item.ts';
import { type Item, numberValue } from '../keys/item-keys.ts';
import { keySchema } from '../keys/key-schema.ts';
import { createConfirmationCode, readConfirmationCode } from './confirmation-code.ts';
import {
  binary,
  credentialSchema,
  type Encryption,
  encryptionContext,
  openCredential,
  sealCredential,
  type StoredCredential,
  type ToolCredential,
  getVersion,
  versionSchema,
} from './sealed-credential.ts';
import type { ToolPlace } from './tool-servers.ts';

/** The credential that is renewed: of a server, or of a person (`user`), in the version that was read. */
export type RenewedCredential = {
  readonly place: ToolPlace;
  readonly server: string;
  readonly user: UserId | undefined;
  readonly version: string;
};

/** A sign-in that has begun. */
export type PendingSignIn = {
  readonly server: string;
  /** The address of the server: another one may have its name by the end. Undefined: begun by an earlier version. */
  readonly url: string | undefined;
  readonly user: UserId;
  /** For everybody, by an administrator; or for this person alone. */
  readonly isShared: boolean;
  readonly session: string;
};

/** A sign-in whose code is exchanged: it has effect when the person who began it confirms it. */
export type HeldSignIn = Pick<PendingSignIn, 'server' | 'url' | 'user' | 'isShared'> & {
  readonly credential: ToolCredential;
};

export type ToolCredentialsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'put' | 'update' | 'delete' | 'query'>;
  readonly table: string;
  readonly encryptor: Encryption;
  readonly now: () => number;
};

/** A sign-in has to be finished within this time. */
const SIGN_IN_SECONDS = 900;
/** How long a renewal may take before another process may try: longer than a refresh with the start of its function. */
const RENEWAL_LEASE_MS = 30_000;

const text = v.object({ S: v.string() });
const heldSchema = v.object({
  ...credentialSchema.entries,
  server: text,
  url: v.optional(text),
  shared: v.object({ BOOL: v.boolean() }),
  ttl: v.object({ N: v.string() }),
});
const signInSchema = v.object({
  by: text,
  server: text,
  url: v.optional(text),
  shared: v.object({ BOOL: v.boolean() }),
  session: binary,
  ttl: v.object({ N: v.string() }),
});

const partition = ({ platform, workspace }: ToolPlace) => ({ S: `TOOLKEY#${platform}#${workspace}` });
const credentialKey = (place: ToolPlace, server: string, user = '') => ({
  pk: partition(place),
  sk: { S: `SERVER#${server}#${user}` },
});
const signInKey = (place: ToolPlace, state: string) => ({
  pk: { S: `TOOLAUTH#${place.platform}#${place.workspace}` },
  sk: { S: `STATE#${hashSecret(state)}` },
});
const signInItem = ({ server, url, user, isShared }: Omit<PendingSignIn, 'session'>): Item => ({
  by: { S: user },
  server: { S: server },
  ...(url !== undefined && { url: { S: url } }),
  shared: { BOOL: isShared },
});
/** The condition that a credential is the one that was read: see `getVersion`. */
const IS_VERSION = 'sealed = :version';
const versionValue = (version: string) => ({ ':version': { B: Buffer.from(version, 'base64') } });
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
  async find(place: ToolPlace, server: string, user?: UserId): Promise<StoredCredential | undefined> {
    const { dynamo, table: TableName, encryptor } = this.#config;
    const Key = credentialKey(place, server, user);
    const { Item } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    if (!Item) return undefined;
    const stored = v.parse(credentialSchema, Item);
    const credential = await openCredential(stored, encryptionContext(place, server), encryptor);
    return { ...credential, version: getVersion(stored.sealed) };
  }

  /** Returns the version of a credential, and whether a process has the lease on its renewal. Decrypts nothing. */
  async findVersion(
    place: ToolPlace,
    server: string,
    user?: UserId,
  ): Promise<{ readonly version: string; readonly isLeased: boolean } | undefined> {
    const { dynamo, table: TableName, now } = this.#config;
    const Key = credentialKey(place, server, user);
    const { Item } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    if (!Item) return undefined;
    const { sealed, lease } = v.parse(versionSchema, Item);
    return { version: getVersion(sealed), isLeased: lease !== undefined && Number(lease.N) >= now() };
  }

  /** Stores a credential and replaces the earlier one. Each part has at most 4,096 bytes: the limit of KMS. */
  async save(place: ToolPlace, server: string, credential: ToolCredential, user?: UserId): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.put({ TableName, Item: await this.#item(place, server, credential, user) });
  }

  /**
   * Takes the lease on the renewal of this version, for 30 s, and resolves with its end (ms since 1970). Undefined if another process has it, or the
   * credential was renewed, replaced or removed.
   */
  async claimRenewal(of: RenewedCredential): Promise<number | undefined> {
    const now = Math.floor(this.#config.now());
    const until = now + RENEWAL_LEASE_MS;
    const isClaimed = await this.#changeLease(
      of,
      'SET lease = :until',
      '(attribute_not_exists(lease) OR lease < :now)',
      { ':until': numberValue(until), ':now': numberValue(now) },
    );
    return isClaimed ? until : undefined;
  }

  /** Gives back the lease that ends at `until`, if it is still ours. */
  async releaseRenewal(of: RenewedCredential, until: number): Promise<void> {
    await this.#changeLease(of, 'REMOVE lease', 'lease = :until', { ':until': numberValue(until) });
  }

  #changeLease(
    { place, server, user, version }: RenewedCredential,
    change: string,
    condition: string,
    values: Item,
  ): Promise<boolean> {
    const { dynamo, table: TableName } = this.#config;
    return isConditionMet(
      dynamo.update({
        TableName,
        Key: credentialKey(place, server, user),
        UpdateExpression: change,
        ConditionExpression: `${IS_VERSION} AND ${condition}`,
        ExpressionAttributeValues: { ...versionValue(version), ...values },
      }),
    );
  }

  /**
   * Replaces a credential by the one that its server renewed, and ends the lease. False, and nothing is stored, if it was renewed, replaced by another
   * sign-in, removed or erased meanwhile.
   */
  async renew(
    { place, server, user, version }: RenewedCredential,
    credential: ToolCredential,
  ): Promise<boolean> {
    const { dynamo, table: TableName } = this.#config;
    const Item = await this.#item(place, server, credential, user);
    const ExpressionAttributeValues = versionValue(version);
    return isConditionMet(
      dynamo.put({ TableName, Item, ConditionExpression: IS_VERSION, ExpressionAttributeValues }),
    );
  }

  async #item(place: ToolPlace, server: string, credential: ToolCredential, user?: UserId): Promise<Item> {
    return {
      ...credentialKey(place, server, user),
      ...(await sealCredential(credential, encryptionContext(place, server), this.#config.encryptor)),
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
    const { server, session } = signIn;
    await dynamo.put({
      TableName,
      Item: {
        ...signInKey(place, state),
        ...signInItem(signIn),
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
      url: output.url?.S,
      user: userId(output.by.S),
      isShared: output.shared.BOOL,
      session,
    };
  }

  /** Stores a sign-in until its person confirms it with the code that follows from `codeOfServer`, for 15 minutes. Only a hash of it is stored. */
  async hold(place: ToolPlace, codeOfServer: string, signIn: HeldSignIn): Promise<void> {
    const { dynamo, table: TableName, now } = this.#config;
    const { server, user, credential } = signIn;
    await dynamo.put({
      TableName,
      Item: {
        ...heldKey(place, user, createConfirmationCode(codeOfServer)),
        ...(await sealCredential(credential, encryptionContext(place, server), this.#config.encryptor)),
        ...signInItem(signIn),
        ttl: numberValue(now() / 1_000 + SIGN_IN_SECONDS),
      },
    });
  }

  /** Returns the sign-in that this person confirms with the code that they typed, to one caller only. */
  async release(place: ToolPlace, typed: string, user: UserId): Promise<HeldSignIn | undefined> {
    const { dynamo, table: TableName, encryptor, now } = this.#config;
    const Key = heldKey(place, user, readConfirmationCode(typed));
    const { Item } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    if (!Item) return undefined;
    const { server, url, shared, ttl, ...sealed } = v.parse(heldSchema, Item);
    if (Number(ttl.N) <= now() / 1_000) return undefined;
    const credential = await openCredential(sealed, encryptionContext(place, server.S), encryptor);
    await dynamo.delete({ TableName, Key, ConditionExpression: 'attribute_exists(pk)' });
    return { server: server.S, url: url?.S, user, isShared: shared.BOOL, credential };
  }
}
