import * as v from 'valibot';
import type { WorkspaceId } from '../../../domain/index.ts';
import type { Log, Time } from '../deps.ts';
import { TtlCache } from '../../../utils/index.ts';
import { type SlackCall, SlackApiError } from './call.ts';
import { optionalId } from './payload-fields.ts';

/** What is read of an OAuth installation. `renewal.until` is in ms since 1970; `version` changes with every change. */
type Install = {
  readonly workspace: WorkspaceId;
  readonly botToken: string;
  readonly renewal?: { readonly token: string; readonly until: number } | undefined;
  readonly version: string;
};

/** The stored installations: `Installs` of the storage module. */
type InstallStore<I extends Install> = {
  readonly find: (workspace: WorkspaceId) => Promise<I | undefined>;
  /** Takes the lease on the renewal of this token. False if another process has it, or has renewed the token. */
  readonly claimRenewal: (install: I) => Promise<boolean>;
  readonly saveRenewed: (install: I) => Promise<unknown>;
};

export type BotTokenContext<I extends Install = Install> = {
  readonly installs: InstallStore<I>;
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
export function createBotTokenProvider<I extends Install>(
  context: BotTokenContext<I>,
): (workspace: WorkspaceId, options?: { readonly refresh: boolean }) => Promise<string> {
  const { installs, time } = context;
  const cache = new TtlCache<I | undefined, WorkspaceId>({ now: time.now, ttlMs: CACHE_TTL_MS });
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

async function renewToken<I extends Install>(
  install: I,
  { installs, renew, log }: BotTokenContext<I>,
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
  { time }: Pick<BotTokenContext, 'time'>,
): Promise<string> {
  for (let i = 0; i < MAX_RENEWAL_CHECKS; i += 1) {
    await time.sleep(RENEWAL_CHECK_INTERVAL_MS);
    const install = await refresh(expired.workspace);
    if (install && install.version !== expired.version) return install.botToken;
  }
  return expired.botToken;
}

const identityResponse = v.object({
  team_id: optionalId,
  enterprise_id: optionalId,
  is_enterprise_install: v.nullish(v.boolean()),
});

export type HomeDeps = {
  /** The deployment's own token, which is not from an OAuth installation. */
  readonly token: (options?: { readonly refresh: boolean }) => Promise<string>;
  /** Creates the function that calls Slack with that token. */
  readonly callWith: (token: string) => SlackCall;
};

/**
 * Returns the deployment's own token for its own workspace only. In a workspace that removed the app or never installed it, the token of
 * another workspace must not be used, although it may work in shared channels: rejects there with `account_inactive`, as Slack does for an
 * app that is not installed. `auth.test` is called once per token. For an org-wide installation, the organization counts too.
 */
export function createHomeToken({ token, callWith }: HomeDeps) {
  const homes = new Map<string, Promise<ReadonlySet<string>>>();
  const findHome = (current: string): Promise<ReadonlySet<string>> => {
    const known = homes.get(current);
    if (known) return known;
    const lookup = fetchWorkspaces(callWith(current));
    homes.set(current, lookup);
    lookup.catch(() => homes.delete(current));
    return lookup;
  };
  return async (workspace: WorkspaceId, options?: { readonly refresh: boolean }): Promise<string> => {
    const current = await token(options);
    if ((await findHome(current)).has(workspace)) return current;
    throw new SlackApiError('auth.test', 'account_inactive');
  };
}

async function fetchWorkspaces(call: SlackCall): Promise<ReadonlySet<string>> {
  const {
    team_id: team,
    enterprise_id: organization,
    is_enterprise_install: forAll,
  } = v.parse(identityResponse, await call('auth.test', {}));
  return new Set([team, forAll === true ? organization : undefined].filter((id) => typeof id === 'string'));
}
