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

/** The token to use, `none` if a person has to sign in again, or why the server of the sign-in gave no answer of use. */
export type RenewalOutcome =
  | { readonly kind: 'renewed'; readonly token: string }
  | { readonly kind: 'none' }
  | Extract<ToolClientResponse, { kind: 'failed' }>;

const REFRESH_TIMEOUT_MS = 6_000;
/** How often, and for how long together, to check whether another process has renewed the token: longer than a refresh takes. */
const CHECK_INTERVAL_MS = 500;
const MAX_CHECKS = 16;

/** A renewal that runs, and whether each of the calls that need it still does. */
type Running = { readonly outcome: Promise<RenewalOutcome>; readonly callers: (() => boolean)[] };

/** The renewals that run in this process, since calls of an answer run at once. */
const renewals = new WeakMap<object, Map<string, Running>>();

/**
 * Gets a new access token and stores it, or waits for the renewal that runs, here or in another process. Servers accept a refresh token once, and some
 * revoke the sign-in when it is used again (RFC 9700, section 4.14.2), so only the process that holds a lease uses it. The wait for another process
 * ends with `too-slow` after 8 s, or when no call needs the token any more. Rejects if the table or the encryption fails.
 */
export function renewToken(
  renewal: Renewal,
  isNeeded: () => boolean,
  context: RenewalContext,
): Promise<RenewalOutcome> {
  const { place, server, owner } = renewal;
  const { credentials } = context.toolServers;
  const ofProcess = renewals.get(credentials) ?? new Map<string, Running>();
  renewals.set(credentials, ofProcess);
  const key = JSON.stringify([place.platform, place.workspace, server, owner]);
  const running = ofProcess.get(key);
  if (running) {
    running.callers.push(isNeeded);
    return running.outcome;
  }
  const callers = [isNeeded];
  const outcome = renewOnce(renewal, callers, context).finally(() => ofProcess.delete(key));
  ofProcess.set(key, { outcome, callers });
  return outcome;
}

async function renewOnce(
  { place, server, owner: user, stale }: Renewal,
  callers: Running['callers'],
  context: RenewalContext,
): Promise<RenewalOutcome> {
  const { credentials } = context.toolServers;
  const { refreshToken, session, version } = stale;
  const of = { place, server, user, version };
  const means = refreshToken === undefined || session === undefined ? undefined : { refreshToken, session };
  let isLeased = false;
  for (let check = 0; check < MAX_CHECKS; check += 1) {
    const lease = means && !isLeased ? await credentials.claimRenewal(of) : undefined;
    if (means && lease !== undefined) return refresh(of, means, lease, context);
    const current = await credentials.findVersion(place, server, user);
    if (current && current.version !== version) {
      const renewed = await credentials.find(place, server, user);
      return renewed ? { kind: 'renewed', token: renewed.token } : { kind: 'none' };
    }
    if (!current || !means) return { kind: 'none' };
    ({ isLeased } = current);
    await context.time.sleep(CHECK_INTERVAL_MS);
    if (!callers.some((isNeeded) => isNeeded())) break;
  }
  return { kind: 'failed', reason: 'too-slow', mayHaveRun: false };
}

/**
 * Failures after which the server has surely not used the refresh token, so the next call may. After any other it may have, also if a gateway answered: who
 * used it again at once could end the sign-in. The lease expires then.
 */
const IS_UNUSED: readonly ToolServerFailure[] = ['unauthorized', 'not-public'];
/** Failures that only a new sign-in ends: the server refused, or its answer has no usable token. */
const NEEDS_SIGN_IN: readonly ToolServerFailure[] = ['unauthorized', 'invalid'];

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
  if (IS_UNUSED.includes(reason)) await credentials.releaseRenewal(of, lease);
  const current = await credentials.find(of.place, of.server, of.user);
  if (current && current.version !== of.version) return { kind: 'renewed', token: current.token };
  return NEEDS_SIGN_IN.includes(reason) ? { kind: 'none' } : { kind: 'failed', reason, mayHaveRun: false };
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
