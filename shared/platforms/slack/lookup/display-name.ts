import * as v from 'valibot';
import { TtlCache } from '../../../utils/index.ts';
import { SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';

/** Finds the display name of a user; `<@U…>` if the bot may not read it. Never throws. */
export type FindDisplayName = (user: string) => Promise<string>;

const CACHE_TTL_MS = 30 * 60_000;
/** Slack's errors for a person who does not exist, or whom the app may not see. */
const UNKNOWN = new Set(['user_not_found', 'user_not_visible']);

const text = v.nullish(v.string());
const userInfoResponse = v.object({
  user: v.object({
    name: text,
    real_name: text,
    profile: v.nullish(v.object({ display_name: text, real_name: text })),
  }),
});

/**
 * Looks up display names and caches them for half an hour, also that Slack does not know somebody: a word such as `@WARNINGS` looks like an id.
 * Without the scope `users:read`, which is optional, it sends one request only.
 */
export function displayNameFinder({ call, time }: Pick<SlackDeps, 'call' | 'time'>): FindDisplayName {
  const cache = new TtlCache<string>({ now: time.now, ttlMs: CACHE_TTL_MS });
  let isForbidden = false;
  const request = async (user: string): Promise<string> => {
    const { user: profileOwner } = v.parse(userInfoResponse, await call('users.info', { user }));
    const { profile } = profileOwner;
    const name = profile?.display_name || profile?.real_name || profileOwner.real_name || profileOwner.name;
    return name || `<@${user}>`;
  };
  const find = (user: string): Promise<string> =>
    request(user).catch((error: unknown) => {
      const code = error instanceof SlackApiError ? error.code : '';
      if (code === 'missing_scope') isForbidden = true;
      if (UNKNOWN.has(code)) return `<@${user}>`;
      throw error;
    });
  return async (user) => {
    if (isForbidden) return `<@${user}>`;
    // Other failures are not cached.
    return cache.get(user, find).catch(() => `<@${user}>`);
  };
}
