import * as v from 'valibot';
import { type Item, numberValue } from '../keys/item-keys.ts';
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

/** A credential as it is stored. `version` changes with every write. */
export type StoredCredential = ToolCredential & { readonly version: string };

export type Encryption = {
  readonly encrypt: (text: string, about: string) => Promise<Uint8Array>;
  readonly decrypt: (sealed: Uint8Array, about: string) => Promise<string>;
};

export const binary = v.object({ B: v.instance(Uint8Array) });
/** The attributes of a credential in an item. */
export const credentialSchema = v.object({
  sealed: binary,
  refresh: v.optional(binary),
  session: v.optional(binary),
  exp: v.optional(v.object({ N: v.string() })),
});
/** What says whether a credential was renewed, and until when (ms since 1970) a process renews it. */
export const versionSchema = v.object({
  sealed: binary,
  lease: v.optional(v.object({ N: v.string() })),
});

/** The encryption context: a ciphertext of one server or workspace cannot be used for another. */
export const encryptionContext = ({ platform, workspace }: ToolPlace, server: string): string =>
  `tool-server#${platform}#${workspace}#${server}`;

/** Each encryption of the same text differs, so what is stored of a token says which write it is of. */
export const getVersion = ({ B }: { readonly B: Uint8Array }): string => Buffer.from(B).toString('base64');

/** Decrypts a stored credential. Rejects if the encryption fails. */
export async function openCredential(
  { sealed, refresh, session, exp }: v.InferOutput<typeof credentialSchema>,
  context: string,
  encryptor: Encryption,
): Promise<ToolCredential> {
  const open = (part: { B: Uint8Array } | undefined) => part && encryptor.decrypt(part.B, context);
  return {
    token: await encryptor.decrypt(sealed.B, context),
    refreshToken: await open(refresh),
    session: await open(session),
    expiresAt: exp && Number(exp.N),
  };
}

/** Encrypts a credential as attributes of an item. Rejects if the encryption fails. */
export async function sealCredential(
  { token, refreshToken, session, expiresAt }: ToolCredential,
  context: string,
  encryptor: Encryption,
): Promise<Item> {
  const seal = async (name: string, secret: string | undefined): Promise<Item> =>
    secret === undefined ? {} : { [name]: { B: await encryptor.encrypt(secret, context) } };
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
