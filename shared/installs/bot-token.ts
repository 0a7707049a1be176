import type { WorkspaceId } from '../domain/index.ts';
import type { Time } from '../runtime/time.ts';
import type { Installs } from '../storage/index.ts';
import type { Log } from '../context/index.ts';
import { TtlCache } from '../utils/ttl-cache.ts';

type Found = NonNullable<Awaited<ReturnType<Installs['find']>>>;

export type BotTokenContext = {
  readonly installs: Pick<Installs, 'find' | 'claimRenewal' | 'saveRenewed'>;
  /** The token of the workspace that the deployment itself is for; others install the app by OAuth. Rejects for any other. */
  readonly own: (workspace: WorkspaceId, options?: { readonly refresh: boolean }) => Promise<string>;
  /** Turns a refresh token into the next bot token. */
  readonly renew: (refreshToken: string) => Promise<Pick<Found, 'botToken' | 'renewal'>>;
  readonly time: Time;
  readonly log: Log;
};

/** A token is renewed when it has less than this to live. */
const RENEW_BEFORE_EXPIRY_MS = 2 * 60 * 60_000;
const CACHE_TTL_MS = 5 * 60_000;
/** How often, and how far apart, another's renewal is looked for once the token at hand is dead. */
const LOOKS = 10;
const LOOK_MS = 500;

/**
 * The bot's token in each workspace: of the install by OAuth, else the deployment's own. Kept for five minutes.
 *
 * A refresh token serves once, so one process alone may use it: a lease on the install says who. The others go on with
 * the token at hand, which lives on until its time; only when that is over do they wait for the new one.
 */
export function botTokens(
  context: BotTokenContext,
): (workspace: WorkspaceId, options?: { readonly refresh: boolean }) => Promise<string> {
  const { installs, time } = context;
  const cache = new TtlCache<Found | undefined, WorkspaceId>({ now: time.now, ttlMs: CACHE_TTL_MS });
  const find = (workspace: WorkspaceId) => installs.find(workspace);
  const look = (workspace: WorkspaceId) => cache.refresh(workspace, find);
  return async (workspace, options) => {
    const found = await (options?.refresh ? look(workspace) : cache.get(workspace, find));
    if (!found) return context.own(workspace, options);
    const left = found.renewal ? found.renewal.until - context.time.now() : Infinity;
    if (left > RENEW_BEFORE_EXPIRY_MS) return found.botToken;
    if (await context.installs.claimRenewal(found)) {
      const next = await renewed(found, context);
      if (next !== undefined) cache.delete(workspace);
      return next ?? found.botToken;
    }
    // Somebody else renews it, or has: then the new one is there.
    const now = await look(workspace);
    if (now && now.version !== found.version) return now.botToken;
    return left > 0 ? found.botToken : awaitRenewal(found, look, context);
  };
}

async function renewed(found: Found, { installs, renew, log }: BotTokenContext): Promise<string | undefined> {
  try {
    const next = await renew(found.renewal?.token ?? '');
    await installs.saveRenewed({ ...found, ...next });
    return next.botToken;
  } catch (error) {
    log('slack.token-renewal-failed', {
      workspace: found.workspace,
      code: error instanceof Error && 'code' in error ? String(error.code) : 'unknown',
    });
    return undefined;
  }
}

async function awaitRenewal(
  old: Found,
  look: (workspace: WorkspaceId) => Promise<Found | undefined>,
  { time }: BotTokenContext,
): Promise<string> {
  for (let i = 0; i < LOOKS; i += 1) {
    await time.sleep(LOOK_MS);
    const found = await look(old.workspace);
    if (found && found.version !== old.version) return found.botToken;
  }
  return old.botToken;
}
