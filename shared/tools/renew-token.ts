import type { UserId } from '../domain/index.ts';
import type { ToolClientResponse, ToolServerFailure } from '../mcp/protocol.ts';
import type { StoredCredential, ToolCredential, ToolPlace } from '../storage/index.ts';
import type { ToolsContext } from './context.ts';

type RenewalContext = Pick<ToolsContext, 'toolServers' | 'time'>;

/** Which token is renewed. */
export type Renewal = {
  readonly place: ToolPlace;
  readonly server: string;
  /** The person whose token it is; undefined: that of the workspace. */
  readonly owner: UserId | undefined;
  /** What a call has read. */
  readonly stale: StoredCredential;
};

/** The token to use, `none` if a person has to sign in again, or why the server of the sign-in gave no answer. */
export type RenewalOutcome =
  | { readonly kind: 'renewed'; readonly token: string }
  | { readonly kind: 'none' }
  | Extract<ToolClientResponse, { kind: 'failed' }>;

const REFRESH_TIMEOUT_MS = 6_000;
/** How often, and for how long together, to check whether another process has renewed the token: longer than a refresh takes. */
const CHECK_INTERVAL_MS = 500;
const MAX_CHECKS = 16;

/** The renewals that run in this process, since calls of an answer run at once. */
const renewals = new WeakMap<object, Map<string, Promise<RenewalOutcome>>>();

/**
 * Gets a new access token and stores it, or waits for the renewal that runs, here or in another process. Servers accept a refresh token once, and some
 * revoke the sign-in when it is used again (RFC 9700, section 4.14.2), so only the process that holds a lease uses it. Rejects if the table or the
 * encryption fails.
 */
export function renewToken(renewal: Renewal, context: RenewalContext): Promise<RenewalOutcome> {
  const { place, server, owner } = renewal;
  const { credentials } = context.toolServers;
  const running = renewals.get(credentials) ?? new Map<string, Promise<RenewalOutcome>>();
  renewals.set(credentials, running);
  const key = JSON.stringify([place.platform, place.workspace, server, owner]);
  const started = running.get(key) ?? renewOnce(renewal, context).finally(() => running.delete(key));
  running.set(key, started);
  return started;
}

async function renewOnce(
  { place, server, owner: user, stale }: Renewal,
  context: RenewalContext,
): Promise<RenewalOutcome> {
  const { credentials } = context.toolServers;
  const { refreshToken, session, version } = stale;
  const of = { place, server, user, version };
  const means = refreshToken === undefined || session === undefined ? undefined : { refreshToken, session };
  for (let check = 0; check < MAX_CHECKS; check += 1) {
    const lease = means && (await credentials.claimRenewal(of));
    if (means && lease !== undefined) return refresh(of, means, lease, context);
    const current = await credentials.find(place, server, user);
    if (!current) return { kind: 'none' };
    if (current.version !== version) return { kind: 'renewed', token: current.token };
    if (!means) return { kind: 'none' };
    await context.time.sleep(CHECK_INTERVAL_MS);
  }
  return { kind: 'failed', reason: 'too-slow', mayHaveRun: false };
}

/** Failures after which the server may have used the refresh token: who used it again at once could end the sign-in. The lease expires. */
const IS_USE_UNKNOWN: readonly ToolServerFailure[] = ['unreachable', 'too-slow', 'unavailable'];

async function refresh(
  of: Parameters<RenewalContext['toolServers']['credentials']['renew']>[0],
  means: { readonly refreshToken: string; readonly session: string },
  lease: number,
  { toolServers: { credentials, request }, time }: RenewalContext,
): Promise<RenewalOutcome> {
  // Not the signal of a call: new tokens would be lost if it was stopped, and other calls wait for them.
  const { signal } = new AbortController();
  const tokens = await request({ kind: 'refresh', ...means, timeoutMs: REFRESH_TIMEOUT_MS }, signal);
  if (tokens.kind === 'authorized') {
    const isStored = await credentials.renew(of, toCredential(tokens, means.refreshToken, time.now()));
    // Somebody signed in again meanwhile: that counts.
    const newer = isStored ? undefined : await credentials.find(of.place, of.server, of.user);
    return { kind: 'renewed', token: newer?.token ?? tokens.accessToken };
  }
  const reason = tokens.kind === 'failed' ? tokens.reason : 'invalid';
  if (!IS_USE_UNKNOWN.includes(reason)) await credentials.releaseRenewal(of, lease);
  const current = await credentials.find(of.place, of.server, of.user);
  if (current && current.version !== of.version) return { kind: 'renewed', token: current.token };
  return reason === 'unauthorized' ? { kind: 'none' } : { kind: 'failed', reason, mayHaveRun: false };
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
