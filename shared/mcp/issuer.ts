import * as v from 'valibot';
import { type Guard, GuardError } from './guarded-fetch.ts';

/*
 * Who sent the answer of a sign-in (RFC 9207): an authorization server of a stranger must not get a code that another one issued, which it could use there.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */

/** What is known of the issuer when a sign-in begins. */
export type ExpectedIssuer = {
  readonly issuer?: string | undefined;
  /** Its metadata states this name. Without metadata, only the address is known, to which the SDK adds a final slash. */
  readonly isIssuerExact?: boolean | undefined;
  /** Its metadata says that every answer names it. */
  readonly isIssuerSent?: boolean | undefined;
};

const withoutSlash = (url: string): string => url.replace(/\/$/u, '');

/**
 * Returns the issuer that an answer may name: that of the metadata if it is the authorization server whose metadata was read, up to a final slash, which
 * many add or leave out. Metadata can name anybody: otherwise the answer has to name the server itself.
 */
export const getExpectedIssuer = (
  server: string,
  issuer: string | undefined,
): Pick<ExpectedIssuer, 'issuer' | 'isIssuerExact'> =>
  issuer !== undefined && withoutSlash(issuer) === withoutSlash(server)
    ? { issuer, isIssuerExact: true }
    : { issuer: server, isIssuerExact: false };

/**
 * Throws GuardError if the answer of a sign-in is not of this issuer. A name from metadata is compared exactly: RFC 9207, section 2.4; an address without
 * regard to a final slash. A sign-in of an earlier version knows none.
 */
export function checkIssuer(
  { issuer, isIssuerExact, isIssuerSent }: ExpectedIssuer,
  named: string | undefined,
): void {
  if (issuer === undefined) return;
  const isSame = (name: string): boolean =>
    isIssuerExact === true ? name === issuer : withoutSlash(name) === withoutSlash(issuer);
  if (named === undefined ? isIssuerSent === true : !isSame(named)) throw new GuardError('invalid');
}

const METADATA_PATH = /\/\.well-known\/(?:oauth-authorization-server|openid-configuration)/u;
const metadataSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ authorization_response_iss_parameter_supported: v.literal(true) }),
);

type Fetch = Guard['fetch'];

/** Reads in the metadata that passes whether the issuer is sent: the SDK leaves that out of metadata of OpenID Connect. */
export function watchMetadata(fetch: Fetch): { readonly fetch: Fetch; readonly isIssuerSent: () => boolean } {
  let isIssuerSent = false;
  return {
    isIssuerSent: () => isIssuerSent,
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      if (!response.ok || !METADATA_PATH.test(new URL(address).pathname)) return response;
      const body = await response.text();
      isIssuerSent = v.is(metadataSchema, body);
      const { status, headers } = response;
      return new Response(body, { status, headers });
    },
  };
}
