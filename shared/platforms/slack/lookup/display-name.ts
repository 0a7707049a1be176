import * as v from 'valibot';
import { SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';

/** Finds the display name of a user; `<@U…>` if the bot may not read it. Never throws. */
export type FindDisplayName = (user: string) => Promise<string>;

const MAX_CACHED_NAMES = 1_000;

const text = v.nullish(v.string());
const userInfoResponse = v.object({
  user: v.object({
    name: text,
    real_name: text,
    profile: v.nullish(v.object({ display_name: text, real_name: text })),
  }),
});

/** Looks up display names and caches them. Without the scope `users:read`, which is optional, it sends one request only. */
export function displayNameFinder({ call }: Pick<SlackDeps, 'call'>): FindDisplayName {
  const cache = new Map<string, Promise<string>>();
  let isForbidden = false;
  const request = async (user: string): Promise<string> => {
    const { user: profileOwner } = v.parse(userInfoResponse, await call('users.info', { user }));
    const { profile } = profileOwner;
    const name = profile?.display_name || profile?.real_name || profileOwner.real_name || profileOwner.name;
    return name || `<@${user}>`;
  };
  return (user) => {
    if (isForbidden) return Promise.resolve(`<@${user}>`);
    const cached = cache.get(user);
    if (cached) return cached;
    const name = request(user).catch((error: unknown) => {
      if (error instanceof SlackApiError && error.code === 'missing_scope') isForbidden = true;
      cache.delete(user);
      return `<@${user}>`;
    });
    if (cache.size >= MAX_CACHED_NAMES) cache.clear();
    cache.set(user, name);
    return name;
  };
}
