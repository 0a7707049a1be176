import type { UserId } from '../domain/index.ts';
import type { ToolClientResponse } from '../mcp/protocol.ts';
import type { ToolCredential, ToolPlace, ToolServer } from '../storage/index.ts';
import type { ToolsContext } from './context.ts';

/** Shorter than the timeout of a tool call, so that the failure of the server is shown. */
export const SERVER_TIMEOUT_MS = 18_000;
/** A token that expires within this time is renewed first. */
const EXPIRY_MARGIN_MS = 60_000;

/** What is asked of a server. */
export type ServerAction =
  | { readonly kind: 'list' }
  | { readonly kind: 'call'; readonly tool: string; readonly args: Readonly<Record<string, unknown>> };

/** The response, or `sign-in`: the key or sign-in of the server, or of this person, is missing. */
export type ServerOutcome = ToolClientResponse | { readonly kind: 'sign-in' };

type RequestContext = Pick<ToolsContext, 'toolServers' | 'time'>;

/**
 * Sends a request to a server, with the key or token that is meant for it. An expired token is renewed once, also for calls that run at once.
 * Never repeats a call that may have run. Rejects if the table or the encryption fails: then nothing was sent.
 */
export async function requestToolServer(
  place: ToolPlace,
  server: Pick<ToolServer, 'name' | 'url' | 'auth'>,
  action: ServerAction,
  user: UserId,
  context: RequestContext,
  signal: AbortSignal,
): Promise<ServerOutcome> {
  const { credentials, request } = context.toolServers;
  const owner = server.auth === 'person' ? user : undefined;
  const stored = server.auth === 'none' ? undefined : await credentials.find(place, server.name, owner);
  if (server.auth !== 'none' && !stored) return { kind: 'sign-in' };
  const send = (token: string | undefined) =>
    request({ ...action, url: server.url, token, timeoutMs: SERVER_TIMEOUT_MS }, signal);
  const renew = () => stored && renewToken({ place, server: server.name, owner, stale: stored }, context);
  const isExpired = (stored?.expiresAt ?? Infinity) - EXPIRY_MARGIN_MS < context.time.now();
  const token = (isExpired ? await renew() : undefined) ?? stored?.token;
  const response = await send(token);
  const isRefused = response.kind === 'failed' && response.reason === 'unauthorized';
  if (!isRefused || server.auth === 'none') return response;
  // Refused before it ran.
  const renewed = isExpired || response.mayHaveRun ? undefined : await renew();
  if (renewed !== undefined) return send(renewed);
  return server.auth === 'person' ? { kind: 'sign-in' } : response;
}

type Renewal = {
  readonly place: ToolPlace;
  readonly server: string;
  readonly owner: UserId | undefined;
  /** What a call has read. */
  readonly stale: ToolCredential;
};

/** The renewals that run in this process. Many servers accept a refresh token only once, and calls of an answer run at once. */
const renewals = new WeakMap<object, Map<string, Promise<string | undefined>>>();

/** Gets a new access token and stores it, or waits for the renewal that runs. Undefined if there is none. */
function renewToken(renewal: Renewal, context: RequestContext): Promise<string | undefined> {
  const { place, server, owner } = renewal;
  const { credentials } = context.toolServers;
  const running = renewals.get(credentials) ?? new Map<string, Promise<string | undefined>>();
  renewals.set(credentials, running);
  const key = JSON.stringify([place.platform, place.workspace, server, owner]);
  const started = running.get(key) ?? renewNow(renewal, context).finally(() => running.delete(key));
  running.set(key, started);
  return started;
}

async function renewNow(
  { place, server, owner, stale }: Renewal,
  { toolServers: { credentials, request }, time }: RequestContext,
): Promise<string | undefined> {
  const current = await credentials.find(place, server, owner);
  // Another call or process renewed it.
  if (current && current.token !== stale.token) return current.token;
  if (current?.refreshToken === undefined || current.session === undefined) return undefined;
  const { refreshToken, session } = current;
  // Not the signal of a call: new tokens would be lost if it was stopped, and other calls wait for them.
  const { signal } = new AbortController();
  const timeoutMs = SERVER_TIMEOUT_MS / 3;
  const tokens = await request({ kind: 'refresh', session, refreshToken, timeoutMs }, signal);
  if (tokens.kind === 'authorized') {
    await credentials.renew(place, server, toCredential(tokens, refreshToken, time.now()), owner);
    return tokens.accessToken;
  }
  // Another process may have used the refresh token at the same time.
  const next = await credentials.find(place, server, owner);
  return next?.token === stale.token ? undefined : next?.token;
}

/** Returns what to store of new tokens. A server may keep the refresh token as it is. */
export function toCredential(
  tokens: Extract<ToolClientResponse, { kind: 'authorized' }>,
  refreshToken: string | undefined,
  now: number,
): ToolCredential {
  const { accessToken, refreshToken: next = refreshToken, expiresIn, session } = tokens;
  const expiresAt = expiresIn === undefined ? undefined : now + 1_000 * expiresIn;
  return { token: accessToken, refreshToken: next, session, expiresAt };
}
