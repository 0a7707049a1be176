import {
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  refreshAuthorization,
  registerClient,
  startAuthorization,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { OAuthError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import * as v from 'valibot';
import { Guard, GuardError, type HostRules } from './guarded-fetch.ts';
import { checkIssuer, getExpectedIssuer, watchMetadata } from './issuer.ts';
import type { ToolClientRequest, ToolClientResponse } from './protocol.ts';

type AuthorizeRequest = Extract<ToolClientRequest, { kind: 'authorize' }>;
type ExchangeRequest = Extract<ToolClientRequest, { kind: 'exchange' }>;
type RefreshRequest = Extract<ToolClientRequest, { kind: 'refresh' }>;

const text = (max: number) => v.pipe(v.string(), v.maxLength(max));
/** What later steps need of an authorization server and our registration there. Secret: it holds the PKCE verifier and a client secret. */
const sessionSchema = v.object({
  server: text(500),
  tokenUrl: v.optional(text(500)),
  tokenMethods: v.optional(v.array(text(50))),
  clientId: text(500),
  clientSecret: v.optional(text(1_000)),
  /** How the server registered that we authenticate (RFC 7591, section 3.2.1): it may list other methods too. */
  clientMethod: v.optional(text(50)),
  verifier: text(200),
  redirectUrl: text(500),
  resource: v.optional(text(500)),
  /** Who has to answer; absent in sessions of earlier versions. */
  issuer: v.optional(text(500)),
  isIssuerExact: v.optional(v.boolean()),
  isIssuerSent: v.optional(v.boolean()),
});
type Session = v.InferOutput<typeof sessionSchema>;

/**
 * One step of OAuth 2.1 as MCP prescribes it: protected resource metadata (RFC 9728), authorization server metadata (RFC 8414), dynamic
 * registration (RFC 7591), PKCE (RFC 7636), resource indicators (RFC 8707) and the issuer in the answer (RFC 9207). Never rejects, and ends within `timeoutMs`. Every address that the
 * servers name is checked as theirs is.
 */
export async function requestAuthorization(
  request: AuthorizeRequest | ExchangeRequest | RefreshRequest,
  rules: HostRules,
): Promise<ToolClientResponse> {
  const signal = AbortSignal.timeout(request.timeoutMs);
  const guard = new Guard({ ...rules, signal });
  const timedOut = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => timedOut.reject(new GuardError('too-slow')), { once: true });
  timedOut.promise.catch(() => undefined);
  const step = async (): Promise<ToolClientResponse> => {
    if (request.kind === 'authorize') return authorize(request, guard);
    return request.kind === 'exchange' ? exchangeCode(request, guard) : refreshTokens(request, guard);
  };
  try {
    return await Promise.race([step(), timedOut.promise]);
  } catch (error) {
    // The SDK has an OAuthError for every status: a server that fails has not refused.
    const isRefusal = error instanceof OAuthError;
    const reason = error instanceof GuardError ? error.reason : isRefusal ? 'unauthorized' : 'invalid';
    const isFailed = (isRefusal || reason === 'invalid') && isFailure(guard.lastStatus);
    return { kind: 'failed', reason: isFailed ? 'refused' : reason, mayHaveRun: false };
  }
}

const isFailure = (status: number): boolean => status >= 500 || status === 429;

async function authorize(
  { url, redirectUrl, state, timeoutMs }: AuthorizeRequest,
  guard: Guard,
): Promise<ToolClientResponse> {
  const watched = watchMetadata(guard.fetch);
  const fetchFn = watched.fetch;
  const challenge = await readChallenge(url, guard, AbortSignal.timeout(timeoutMs / 4)).catch(
    () => undefined,
  );
  const {
    authorizationServerUrl,
    authorizationServerMetadata: metadata,
    resourceMetadata,
  } = await discoverOAuthServerInfo(url, {
    fetchFn,
    ...(challenge?.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
  });
  const known = metadata && { metadata };
  const wanted = challenge?.scope ?? resourceMetadata?.scopes_supported?.join(' ');
  const scope = withRefreshToken(wanted, metadata?.scopes_supported);
  const client = await registerClient(authorizationServerUrl, {
    ...known,
    clientMetadata: createClientMetadata(redirectUrl),
    ...(scope !== undefined && { scope }),
    fetchFn,
  });
  const resource = resourceMetadata && checkedResource(url, resourceMetadata.resource);
  const { authorizationUrl, codeVerifier } = await startAuthorization(authorizationServerUrl, {
    ...known,
    clientInformation: client,
    redirectUrl,
    state,
    ...(scope !== undefined && { scope }),
    ...(resource !== undefined && { resource }),
  });
  // A person opens it: it could be `javascript:`.
  guard.check(authorizationUrl);
  const session: Session = {
    server: authorizationServerUrl,
    tokenUrl: metadata?.token_endpoint,
    tokenMethods: metadata?.token_endpoint_auth_methods_supported,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    clientMethod: client.token_endpoint_auth_method,
    verifier: codeVerifier,
    redirectUrl,
    resource,
    ...getExpectedIssuer(authorizationServerUrl, metadata?.issuer),
    isIssuerSent: watched.isIssuerSent(),
  };
  return {
    kind: 'authorizing',
    authorizationUrl: authorizationUrl.href,
    session: JSON.stringify(v.parse(sessionSchema, session)),
  };
}

/** Servers of OpenID Connect give a refresh token for this scope only; without one, people sign in again each time a token expires. */
function withRefreshToken(scope: string | undefined, supported: readonly string[] = []): string | undefined {
  const isWanted = scope !== undefined && scope !== '' && supported.includes(OFFLINE_ACCESS);
  return isWanted && !scope.split(' ').includes(OFFLINE_ACCESS) ? `${scope} ${OFFLINE_ACCESS}` : scope;
}
const OFFLINE_ACCESS = 'offline_access';

const createClientMetadata = (redirectUrl: string) => ({
  client_name: 'Parley',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  // OpenID Connect allows a web application no address of the own machine, as of a bot that is tried there.
  application_type: new URL(redirectUrl).protocol === 'https:' ? 'web' : 'native',
});

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: LATEST_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'parley', version: '0.1.0' },
  },
});

/**
 * Returns what a server answers to a request without a token: where its protected resource metadata is, which may be at another address than
 * the usual one, and the scopes that it requires. https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
async function readChallenge(
  url: string,
  guard: Guard,
  signal: AbortSignal,
): Promise<ReturnType<typeof extractWWWAuthenticateParams>> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const ask = async () => {
    const response = await guard.fetch(url, { method: 'POST', headers, body: INITIALIZE, signal });
    await response.body?.cancel();
    return response;
  };
  const first = await ask();
  // The guard remembers a redirect within the origin, such as to a trailing slash.
  return extractWWWAuthenticateParams(first.status === 307 || first.status === 308 ? await ask() : first);
}

/**
 * The resource that a token is for, as the server writes it: some compare it exactly, and `URL` would add a slash to one without a path. It is the
 * server, or a prefix of its address. Throws for any other: a token for it must not be asked for here.
 */
function checkedResource(url: string, resource: string): string {
  const [own, named] = [new URL(url), new URL(resource)];
  const isPrefix = `${own.pathname}/`.startsWith(named.pathname.replace(/\/?$/u, '/'));
  if (own.origin !== named.origin || !isPrefix) throw new GuardError('invalid');
  return resource;
}

async function exchangeCode(
  { session, code, issuer }: ExchangeRequest,
  guard: Guard,
): Promise<ToolClientResponse> {
  const known = readSession(session);
  checkIssuer(known, issuer);
  const tokens = await exchangeAuthorization(known.server, {
    ...tokenOptions(known, guard),
    authorizationCode: code,
    codeVerifier: known.verifier,
    redirectUri: known.redirectUrl,
  });
  return toAuthorized(tokens, session);
}

async function refreshTokens(
  { session, refreshToken }: RefreshRequest,
  guard: Guard,
): Promise<ToolClientResponse> {
  const known = readSession(session);
  return toAuthorized(
    await refreshAuthorization(known.server, { ...tokenOptions(known, guard), refreshToken }),
    session,
  );
}

const readSession = (session: string): Session => v.parse(sessionSchema, JSON.parse(session));

const refusalSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ error: v.string(), access_token: v.optional(v.undefined()) }),
);

/** Some servers refuse with status 200; RFC 6749, section 5.2, says 400, and the SDK goes by that. */
const withRefusals =
  (fetch: Guard['fetch']): Guard['fetch'] =>
  async (address, init) => {
    const response = await fetch(address, init);
    if (response.status !== 200) return response;
    const body = await response.text();
    return new Response(body, { status: v.is(refusalSchema, body) ? 400 : 200, headers: response.headers });
  };

function tokenOptions(session: Session, { fetch }: Guard) {
  const {
    server,
    tokenUrl = new URL('/token', server).href,
    tokenMethods,
    clientId,
    clientSecret,
    clientMethod,
    resource,
  } = session;
  return {
    metadata: {
      issuer: server,
      authorization_endpoint: server,
      token_endpoint: tokenUrl,
      response_types_supported: ['code'],
      ...(tokenMethods && { token_endpoint_auth_methods_supported: tokenMethods }),
    },
    clientInformation: {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...(clientMethod !== undefined && { token_endpoint_auth_method: clientMethod }),
    },
    ...(resource !== undefined && { resource }),
    fetchFn: withRefusals(fetch),
  };
}

type Tokens = Awaited<ReturnType<typeof exchangeAuthorization>>;

function toAuthorized(tokens: Tokens, session: string): ToolClientResponse {
  const {
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: expiresIn,
    token_type: type,
  } = tokens;
  // Only visible ASCII fits into a header; MCP knows bearer tokens only. The format of the response limits the length.
  if (!/^[\x21-\x7e]+$/u.test(accessToken) || type.toLowerCase() !== 'bearer')
    throw new GuardError('invalid');
  return {
    kind: 'authorized',
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresIn !== undefined && Number.isFinite(expiresIn) && { expiresIn }),
    session,
  };
}
