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
 * Sends a request to a server, with the key or token that is meant for it. An expired token is renewed once. Never repeats a call that may have
 * run. Rejects if the table or the encryption fails: then nothing was sent.
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
  const renew = () => stored && renewToken(place, server.name, stored, owner, context, signal);
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

/** Gets a new access token and stores it. Undefined if there is none. */
async function renewToken(
  place: ToolPlace,
  server: string,
  { refreshToken, session }: ToolCredential,
  owner: UserId | undefined,
  { toolServers: { credentials, request }, time }: RequestContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (refreshToken === undefined || session === undefined) return undefined;
  const tokens = await request(
    { kind: 'refresh', session, refreshToken, timeoutMs: SERVER_TIMEOUT_MS / 3 },
    signal,
  );
  if (tokens.kind !== 'authorized') return undefined;
  await credentials.renew(place, server, toCredential(tokens, refreshToken, time.now()), owner);
  return tokens.accessToken;
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
