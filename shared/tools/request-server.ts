import type { UserId } from '../domain/index.ts';
import type { ToolClientResponse } from '../mcp/protocol.ts';
import type { ToolPlace, ToolServer } from '../storage/index.ts';
import type { ToolsContext } from './context.ts';
import { renewToken } from './renew-token.ts';

/** Shorter than the timeout of a tool call, so that the failure of the server is shown. A renewal and the call share it. */
export const SERVER_TIMEOUT_MS = 18_000;
/** With less time than this, a call is not sent: it could run without a result. */
const MIN_CALL_MS = 1_000;
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
 * Never repeats a call that may have run. Ends within 18 s, or 6 s later if the token is renewed at the end of them; 10 s later still if a connection to the function breaks. Rejects if the table or the encryption fails: then no call has run.
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
  const { name, url, auth } = server;
  const startedAt = context.time.now();
  // A whole number, and the clock may have been set back.
  const timeLeft = () =>
    Math.min(SERVER_TIMEOUT_MS, Math.floor(SERVER_TIMEOUT_MS + startedAt - context.time.now()));
  const isNeeded = () => !signal.aborted && timeLeft() >= MIN_CALL_MS;
  const send = async (token: string | undefined): Promise<ToolClientResponse> =>
    isNeeded()
      ? request({ ...action, url, token, timeoutMs: timeLeft() }, signal)
      : { kind: 'failed', reason: 'too-slow', mayHaveRun: false };
  if (auth === 'none') return send(undefined);
  const owner = auth === 'person' ? user : undefined;
  const stored = await credentials.find(place, name, owner);
  if (!stored) return { kind: 'sign-in' };
  const renew = () => renewToken({ place, server: name, owner, stale: stored }, isNeeded, context);
  const isExpired = (stored.expiresAt ?? Infinity) - EXPIRY_MARGIN_MS < context.time.now();
  const early = isExpired ? await renew() : undefined;
  const response = await send(early?.kind === 'renewed' ? early.token : stored.token);
  if (response.kind !== 'failed' || response.reason !== 'unauthorized') return response;
  // Refused before it ran.
  const renewal = early ?? (response.mayHaveRun ? undefined : await renew());
  if (!early && renewal?.kind === 'renewed') return send(renewal.token);
  // The sign-in may be valid: its server could not say.
  if (renewal?.kind === 'failed') return renewal;
  return auth === 'person' ? { kind: 'sign-in' } : response;
}
