import type { WorkspaceId } from '../domain/index.ts';
import type { Time, Log } from '../runtime/index.ts';
import type { Installs } from '../storage/index.ts';
import { TtlCache } from '../utils/index.ts';

type Install = NonNullable<Awaited<ReturnType<Installs['find']>>>;

export type BotTokenContext = {
  readonly installs: Pick<Installs, 'find' | 'claimRenewal' | 'saveRenewed'>;
  /**
   * Returns the token of the deployment's own workspace; other workspaces install the app by OAuth. Rejects for those.
   */
  readonly getOwnToken: (workspace: WorkspaceId, options?: { readonly refresh: boolean }) => Promise<string>;
  /** Exchanges a refresh token for the next bot token. */
  readonly renew: (refreshToken: string) => Promise<Pick<Install, 'botToken' | 'renewal'>>;
  readonly time: Time;
  readonly log: Log;
};

const RENEW_BEFORE_EXPIRY_MS = 2 * 60 * 60_000;
const CACHE_TTL_MS = 5 * 60_000;
/** How often to check whether another process has renewed an expired token. */
const MAX_RENEWAL_CHECKS = 10;
const RENEWAL_CHECK_INTERVAL_MS = 500;

/**
 * Creates a function that returns the bot token of a workspace: that of its OAuth install, otherwise the deployment's own.
 * Caches it for five minutes; `refresh` skips the cache.
 *
 * A refresh token works only once, so only the process that holds a lease on the install uses it. Other processes use the
 * current token until it expires, and only then wait for the new one.
 */
export function createBotTokenProvider(
  context: BotTokenContext,
): (workspace: WorkspaceId, options?: { readonly refresh: boolean }) => Promise<string> {
  const { installs, time } = context;
  const cache = new TtlCache<Install | undefined, WorkspaceId>({ now: time.now, ttlMs: CACHE_TTL_MS });
  const find = (workspace: WorkspaceId) => installs.find(workspace);
  const refresh = (workspace: WorkspaceId) => cache.refresh(workspace, find);
  return async (workspace, options) => {
    const install = await (options?.refresh ? refresh(workspace) : cache.get(workspace, find));
    if (!install) return context.getOwnToken(workspace, options);
    const remainingMs = install.renewal ? install.renewal.until - context.time.now() : Infinity;
    if (remainingMs > RENEW_BEFORE_EXPIRY_MS) return install.botToken;
    if (await context.installs.claimRenewal(install)) {
      const newToken = await renewToken(install, context);
      if (newToken !== undefined) cache.delete(workspace);
      return newToken ?? install.botToken;
    }
    // Another process is renewing the token, or already has.
    const current = await refresh(workspace);
    if (current && current.version !== install.version) return current.botToken;
    return remainingMs > 0 ? install.botToken : awaitRenewal(install, refresh, context);
  };
}

async function renewToken(
  install: Install,
  { installs, renew, log }: BotTokenContext,
): Promise<string | undefined> {
  try {
    const next = await renew(install.renewal?.token ?? '');
    await installs.saveRenewed({ ...install, ...next });
    return next.botToken;
  } catch (error) {
    log('slack.token-renewal-failed', {
      workspace: install.workspace,
      code: error instanceof Error && 'code' in error ? String(error.code) : 'unknown',
    });
    return undefined;
  }
}

/** Waits until another process has renewed the token. Returns the expired one if that takes too long. */
async function awaitRenewal(
  expired: Install,
  refresh: (workspace: WorkspaceId) => Promise<Install | undefined>,
  { time }: BotTokenContext,
): Promise<string> {
  for (let i = 0; i < MAX_RENEWAL_CHECKS; i += 1) {
    await time.sleep(RENEWAL_CHECK_INTERVAL_MS);
    const install = await refresh(expired.workspace);
    if (install && install.version !== expired.version) return install.botToken;
  }
  return expired.botToken;
}
