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
});

/** What differs between authorization servers. */
export type AuthorizationServerOptions = {
  /** How registered clients have to authenticate. `client_secret_post`: by a secret in the body; such a server also lists others. Default: `none`. */
  readonly method?: 'none' | 'client_secret_post' | undefined;
  /** The length of access and refresh tokens, in bytes. Default: 32. */
  readonly tokenLength?: number | undefined;
};

type Grant = {
  readonly client: string;
  readonly redirect: string;
  readonly challenge: string;
  readonly resource: string;
};

const createSecret = (): string => randomBytes(24).toString('base64url');

/**
 * A simulated authorization server for one resource: metadata, dynamic registration, codes with PKCE (S256 only, used once), access tokens and
 * refresh tokens that change with each use. It accepts the one method of authentication that it registered (RFC 7591, section 2).
 */
export class AuthorizationServer {
  readonly #issuer: string;
  readonly #resource: string;
  readonly #clients = new Map<string, readonly string[]>();
  readonly #codes = new Map<string, Grant>();
  readonly #tokens = new Set<string>();
  readonly #refreshTokens = new Map<string, string>();
  readonly #secrets = new Map<string, string>();
  readonly #method: 'none' | 'client_secret_post';
  readonly #tokenLength: number;

  constructor(
    issuer: string,
    resource: string,
    { method = 'none', tokenLength = 32 }: AuthorizationServerOptions = {},
  ) {
    this.#issuer = issuer;
    this.#resource = resource;
    this.#method = method;
    this.#tokenLength = tokenLength;
  }

  accepts(token: string): boolean {
    return this.#tokens.has(token);
  }

  /** Ends all access tokens, as their expiry does. */
  expireTokens(): void {
    this.#tokens.clear();
  }

  metadata(): OAuthResponse {
    const at = (path: string) => `${this.#issuer}${path}`;
    return json(200, {
      issuer: this.#issuer,
      authorization_endpoint: at('/authorize'),
      token_endpoint: at('/token'),
      registration_endpoint: at('/register'),
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported:
        this.#method === 'none' ? ['none'] : ['none', 'client_secret_basic', this.#method],
    });
  }

  register(body: string): OAuthResponse {
    const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), registration), body);
    if (!success) return refuse('invalid_client_metadata');
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
    this.#codes.set(code, { client, redirect, challenge, resource: of('resource') });
    const back = new URL(redirect);
    back.searchParams.set('code', code);
    back.searchParams.set('state', of('state'));
    return { status: 302, headers: { location: back.href }, body: '' };
  }

  token(body: string): OAuthResponse {
    const form = new URLSearchParams(body);
    const of = (name: string) => form.get(name) ?? '';
    // Without a secret in the body, also if it is in a header: that is another method.
    if (this.#secrets.get(of('client_id')) !== (form.get('client_secret') ?? undefined))
      return refuse('invalid_client');
    if (of('resource') !== this.#resource) return refuse('invalid_target');
    if (of('grant_type') === 'refresh_token') {
      const owner = this.#refreshTokens.get(of('refresh_token'));
      this.#refreshTokens.delete(of('refresh_token'));
      return owner !== undefined && owner === of('client_id') ? this.#issue(owner) : refuse('invalid_grant');
    }
    if (of('grant_type') !== 'authorization_code') return refuse('unsupported_grant_type');
    const grant = this.#codes.get(of('code'));
    this.#codes.delete(of('code'));
    const challenge = createHash('sha256').update(of('code_verifier')).digest('base64url');
    const isValid =
      grant?.client === of('client_id') &&
      grant.redirect === of('redirect_uri') &&
      grant.challenge === challenge;
    return grant && isValid ? this.#issue(grant.client) : refuse('invalid_grant');
  }

  #issue(client: string): OAuthResponse {
    const createToken = () => createSecret().padEnd(this.#tokenLength, 'x');
    const [access, refresh] = [createToken(), createToken()];
    this.#tokens.add(access);
    this.#refreshTokens.set(refresh, client);
    return json(200, {
      access_token: access,
      token_type: 'Bearer',
      expires_in: 3_600,
      refresh_token: refresh,
    });
  }
}
