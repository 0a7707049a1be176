import { createHash, randomBytes } from 'node:crypto';
import * as v from 'valibot';

/** A response of the authorization server. */
export type OAuthResponse = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
};

const json = (status: number, content: unknown): OAuthResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(content),
});
const refuse = (error: string): OAuthResponse => json(400, { error });

const registration = v.object({
  redirect_uris: v.pipe(v.array(v.string()), v.minLength(1)),
  client_name: v.optional(v.string()),
  application_type: v.optional(v.picklist(['web', 'native']), 'web'),
});

/** What differs between authorization servers. */
export type AuthorizationServerOptions = {
  /** How registered clients have to authenticate. `client_secret_post`: by a secret in the body; such a server also lists others. Default: `none`. */
  readonly method?: 'none' | 'client_secret_post' | undefined;
  /** The length of access and refresh tokens, in bytes. Default: 32. */
  readonly tokenLength?: number | undefined;
  /** Whether its answers name it (RFC 9207), and its metadata says so. Default: `announced`. */
  readonly iss?: 'announced' | 'unannounced' | 'none' | undefined;
  /** Whom its metadata and its answers name. Default: its address. */
  readonly issuer?: ((address: string) => string) | undefined;
  /** False: it has no metadata, so its endpoints are at the usual addresses. Default: true. */
  readonly hasMetadata?: boolean | undefined;
  /** False: it registers no clients by itself, as GitHub; its operator does. Default: true. */
  readonly canRegister?: boolean | undefined;
  /** The status of what its token endpoint refuses. Default: 400, as RFC 6749 says; some send 200. */
  readonly refusalStatus?: number | undefined;
  /** An OpenID provider: its metadata is at the place of those, it gives a refresh token for the scope `offline_access` only, and web applications have https. */
  readonly isOpenId?: boolean | undefined;
};

type Grant = {
  readonly client: string;
  readonly redirect: string;
  readonly challenge: string;
  readonly resource: string;
  readonly scope: string;
};

type SignIn = Pick<Grant, 'client' | 'scope'>;

const createSecret = (): string => randomBytes(24).toString('base64url');

/**
 * A simulated authorization server for one resource: metadata, dynamic registration, codes with PKCE (S256 only, used once), access tokens and
 * refresh tokens that change with each use. One that is used again ends the whole sign-in (RFC 9700, section 4.14.2). It accepts the one method of authentication that it registered (RFC 7591, section 2).
 */
export class AuthorizationServer {
  readonly #issuer: string;
  readonly #resource: string;
  readonly #clients = new Map<string, readonly string[]>();
  readonly #codes = new Map<string, Grant>();
  /** The sign-in of each access token, and of each refresh token, also of those that were used. */
  readonly #tokens = new Map<string, SignIn>();
  readonly #refreshTokens = new Map<string, { readonly signIn: SignIn; isUsed: boolean }>();
  readonly #secrets = new Map<string, string>();
  readonly #method: 'none' | 'client_secret_post';
  readonly #tokenLength: number;
  readonly #iss: 'announced' | 'unannounced' | 'none';
  readonly #isOpenId: boolean;
  readonly #hasMetadata: boolean;
  readonly #canRegister: boolean;
  readonly #refusalStatus: number;
  readonly #address: string;

  constructor(address: string, resource: string, options: AuthorizationServerOptions = {}) {
    const { method = 'none', tokenLength = 32, iss = 'announced', issuer, isOpenId = false } = options;
    this.#hasMetadata = options.hasMetadata ?? true;
    this.#canRegister = options.canRegister ?? true;
    this.#refusalStatus = options.refusalStatus ?? 400;
    this.#address = address;
    this.#issuer = issuer?.(address) ?? address;
    this.#resource = resource;
    this.#method = method;
    this.#tokenLength = tokenLength;
    this.#iss = iss;
    this.#isOpenId = isOpenId;
  }

  get metadataPath(): string {
    return `/.well-known/${this.#isOpenId ? 'openid-configuration' : 'oauth-authorization-server'}`;
  }

  accepts(token: string): boolean {
    return this.#tokens.has(token);
  }

  /** Ends all access tokens, as their expiry does. */
  expireTokens(): void {
    this.#tokens.clear();
  }

  metadata(): OAuthResponse {
    if (!this.#hasMetadata) return { status: 404, body: '' };
    const at = (path: string) => `${this.#address}${path}`;
    return json(200, {
      issuer: this.#issuer,
      authorization_endpoint: at('/authorize'),
      token_endpoint: at('/token'),
      ...(this.#canRegister && { registration_endpoint: at('/register') }),
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported:
        this.#method === 'none' ? ['none'] : ['none', 'client_secret_basic', this.#method],
      ...(this.#iss === 'announced' && { authorization_response_iss_parameter_supported: true }),
      ...(this.#isOpenId && {
        jwks_uri: at('/keys'),
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        scopes_supported: ['openid', 'offline_access'],
      }),
    });
  }

  register(body: string): OAuthResponse {
    if (!this.#canRegister) return { status: 404, body: 'Not Found' };
    const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), registration), body);
    if (!success) return refuse('invalid_client_metadata');
    const isWebAddress = output.redirect_uris.every((uri) => uri.startsWith('https:'));
    if (this.#isOpenId && (output.application_type === 'web') !== isWebAddress)
      return refuse('invalid_redirect_uri');
    const client = createSecret();
    this.#clients.set(client, output.redirect_uris);
    const registered = { ...output, client_id: client, token_endpoint_auth_method: this.#method };
    if (this.#method === 'none') return json(201, registered);
    const secret = createSecret();
    this.#secrets.set(client, secret);
    return json(201, { ...registered, client_secret: secret, client_secret_expires_at: 0 });
  }

  /** The page at which a person agrees. The simulated person has agreed: it redirects at once. */
  authorize(query: URLSearchParams): OAuthResponse {
    const of = (name: string) => query.get(name) ?? '';
    const [client, redirect, challenge] = [of('client_id'), of('redirect_uri'), of('code_challenge')];
    if (!this.#clients.get(client)?.includes(redirect)) return refuse('invalid_client');
    const isValid =
      of('response_type') === 'code' &&
      of('code_challenge_method') === 'S256' &&
      challenge.length === 43 &&
      of('resource') === this.#resource;
    if (!isValid) return refuse('invalid_request');
    const code = createSecret();
    this.#codes.set(code, { client, redirect, challenge, resource: of('resource'), scope: of('scope') });
    const back = new URL(redirect);
    back.searchParams.set('code', code);
    back.searchParams.set('state', of('state'));
    if (this.#iss !== 'none') back.searchParams.set('iss', this.#issuer);
    return { status: 302, headers: { location: back.href }, body: '' };
  }

  token(body: string): OAuthResponse {
    const response = this.#answerToken(body);
    return response.status === 400 ? { ...response, status: this.#refusalStatus } : response;
  }

  #answerToken(body: string): OAuthResponse {
    const form = new URLSearchParams(body);
    const of = (name: string) => form.get(name) ?? '';
    // Without a secret in the body, also if it is in a header: that is another method.
    if (this.#secrets.get(of('client_id')) !== (form.get('client_secret') ?? undefined))
      return refuse('invalid_client');
    if (of('resource') !== this.#resource) return refuse('invalid_target');
    if (of('grant_type') === 'refresh_token') {
      const stored = this.#refreshTokens.get(of('refresh_token'));
      if (!stored || stored.signIn.client !== of('client_id')) return refuse('invalid_grant');
      if (stored.isUsed) {
        this.#revoke(stored.signIn);
        return refuse('invalid_grant');
      }
      stored.isUsed = true;
      return this.#issue(stored.signIn);
    }
    if (of('grant_type') !== 'authorization_code') return refuse('unsupported_grant_type');
    const grant = this.#codes.get(of('code'));
    this.#codes.delete(of('code'));
    const challenge = createHash('sha256').update(of('code_verifier')).digest('base64url');
    const isValid =
      grant?.client === of('client_id') &&
      grant.redirect === of('redirect_uri') &&
      grant.challenge === challenge;
    return grant && isValid ? this.#issue(grant) : refuse('invalid_grant');
  }

  #revoke(signIn: SignIn): void {
    for (const [token, of] of this.#tokens) if (of === signIn) this.#tokens.delete(token);
    for (const [token, of] of this.#refreshTokens)
      if (of.signIn === signIn) this.#refreshTokens.delete(token);
  }

  #issue(signIn: SignIn): OAuthResponse {
    const createToken = () => createSecret().padEnd(this.#tokenLength, 'x');
    const [access, refresh] = [createToken(), createToken()];
    this.#tokens.set(access, signIn);
    this.#refreshTokens.set(refresh, { signIn, isUsed: false });
    const isRenewable = !this.#isOpenId || signIn.scope.split(' ').includes('offline_access');
    return json(200, {
      access_token: access,
      token_type: 'Bearer',
      expires_in: 3_600,
      ...(isRenewable && { refresh_token: refresh }),
    });
  }
}
