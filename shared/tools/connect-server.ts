import { type Card, type ConnectTask, type UserId, workspaceId } from '../domain/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import type { ToolServerFailure } from '../mcp/protocol.ts';
import type { ToolPlace, ToolServer } from '../storage/index.ts';
import type { ToolsContext } from './context.ts';
import { toCredential } from './renew-token.ts';
import { SERVER_TIMEOUT_MS } from './request-server.ts';

type SignInContext = Pick<ToolsContext, 'toolServers' | 'time'>;

/** Separates the parts of a state: it is in no id. */
const SEPARATOR = '.';

/** Parses the state that a server sends back; undefined if it is none of ours. */
export function parseState(state: string): ToolPlace | undefined {
  const [platform, workspace = '', secret = ''] = state.split(SEPARATOR);
  const isOurs = (platform === 'slack' || platform === 'discord') && /^[\w@]{1,40}$/u.test(workspace);
  return isOurs && /^[\da-f]{64}$/u.test(secret)
    ? { platform, workspace: workspaceId(workspace) }
    : undefined;
}

/**
 * Begins a sign-in at a server: registers there, and resolves with the address of its page, or with the reason why not. The state in the address
 * is random, is stored as a hash for 15 minutes, and works once.
 */
export async function beginSignIn(
  place: ToolPlace,
  { name, url, auth }: ToolServer,
  user: UserId,
  { toolServers: { credentials, request, redirectUrl } }: SignInContext,
): Promise<{ readonly authorizationUrl: string } | { readonly failure: Failure }> {
  const secret = `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll('-', '');
  const state = [place.platform, place.workspace, secret].join(SEPARATOR);
  const { signal } = new AbortController();
  const wanted = { kind: 'authorize', url, redirectUrl, state, timeoutMs: SERVER_TIMEOUT_MS } as const;
  const started = await request(wanted, signal);
  if (started.kind !== 'authorizing')
    return { failure: started.kind === 'failed' ? started : { ...INVALID, mayHaveRun: false } };
  const { authorizationUrl, session } = started;
  const pending = { server: name, url, user, isShared: auth === 'oauth', session };
  await credentials.begin(place, state, pending);
  return { authorizationUrl };
}

type Failure = Extract<Awaited<ReturnType<ToolsContext['toolServers']['request']>>, { kind: 'failed' }>;
const INVALID = { kind: 'failed', reason: 'invalid' } as const;

/** A sign-in whose person came back. It has effect once they confirm it, unless it failed. */
export type SignInReturn = ToolPlace & {
  readonly user: UserId;
  readonly server: string;
  readonly failure: ToolServerFailure | undefined;
};

/**
 * Exchanges the code that a person brought back, and holds the sign-in until the person who began it confirms it. Undefined if there is none, or it has
 * ended.
 */
export async function finishSignIn(
  { state, code, issuer }: Pick<ConnectTask, 'state' | 'code' | 'issuer'>,
  { toolServers: { credentials, request }, time }: SignInContext,
): Promise<SignInReturn | undefined> {
  const place = parseState(state);
  const pending = place && (await credentials.take(place, state));
  if (!pending) return undefined;
  const { server, url, user, isShared, session } = pending;
  const { platform, workspace } = place;
  const end = { platform, workspace, user, server };
  const { signal } = new AbortController();
  const exchange = { kind: 'exchange', session, code, issuer, timeoutMs: SERVER_TIMEOUT_MS } as const;
  const tokens = await request(exchange, signal);
  if (tokens.kind !== 'authorized')
    return { ...end, failure: tokens.kind === 'failed' ? tokens.reason : 'invalid' };
  const credential = toCredential(tokens, undefined, time.now());
  await credentials.hold(place, code, { server, url, user, isShared, credential });
  return { ...end, failure: undefined };
}

/**
 * Completes the sign-in that this person confirms, and resolves with its server. Undefined if they have none with this code, or the server is gone. A
 * server with its name at another address is another one: it must not get the token.
 */
export async function confirmSignIn(
  place: ToolPlace,
  typed: string,
  user: UserId,
  { toolServers: { credentials, servers } }: SignInContext,
): Promise<ToolServer | undefined> {
  const signIn = await credentials.release(place, typed, user);
  const server = signIn && (await servers.find(place, signIn.server));
  if (!signIn || !server || server.url !== (signIn.url ?? server.url)) return undefined;
  await credentials.save(place, signIn.server, signIn.credential, signIn.isShared ? undefined : user);
  return server;
}

/** The card with the link to the page of a server. */
export const createSignInCard = (server: string, url: string, locale: Locale): Card => ({
  parts: [{ kind: 'text', markdown: localize(locale, 'tools.connect', { server, url }), ownLinks: [url] }],
});
