import { createHash } from 'node:crypto';
import type { Found } from './routes/index.ts';

/** The rate limit headers of a response. */
export type Taken = {
  readonly headers: Readonly<Record<string, string>>;
  /** Present above a limit: seconds until the next request. */
  readonly wait?: { readonly seconds: number; readonly global: boolean };
};

export type Scope = 'user' | 'shared' | 'global';

export type Limits = {
  take(call: Found): Taken;
  /** The headers of a 429 that counts do not cause. See docs:topics/rate-limits#header-format. */
  refuse(call: Found, seconds: number, scope: Scope): Readonly<Record<string, string>>;
  clear(): void;
};

const GLOBAL = { calls: 50, ms: 1_000 };

/**
 * Counts requests by route and by channel, guild or webhook, and all requests with the bot's token. Without
 * enforcement the headers report available requests.
 */
export function createLimits(now: () => number, enforced: boolean): Limits {
  const windows = new Map<string, { from: number; calls: number }>();
  const count = (key: string, { ms }: { ms: number }) => {
    const open = windows.get(key);
    const window = open && now() - open.from < ms ? open : { from: now(), calls: 0 };
    windows.set(key, window);
    window.calls += 1;
    return { calls: window.calls, left: Math.max(0, window.from + ms - now()) / 1_000 };
  };
  return {
    take(call) {
      const { limit, auth } = call.route;
      const used = enforced
        ? count(`${bucketOf(call)}/${resourceOf(call)}`, limit)
        : { calls: 1, left: limit.ms / 1_000 };
      const headers = bucketHeaders(call, limit.calls - used.calls, used.left);
      if (used.calls > limit.calls)
        return {
          headers: { ...headers, ...refusalHeaders(used.left, 'user') },
          wait: { seconds: used.left, global: false },
        };
      // Requests by interaction token do not count for the bot's token.
      if (!enforced || auth !== 'bot') return { headers };
      const all = count('global', GLOBAL);
      if (all.calls <= GLOBAL.calls) return { headers };
      return { headers: refusalHeaders(all.left, 'global'), wait: { seconds: all.left, global: true } };
    },
    refuse(call, seconds, scope) {
      const refusal = refusalHeaders(seconds, scope);
      if (scope === 'global') return refusal;
      const { calls, ms } = call.route.limit;
      // A shared limit is that of the resource: the bot's own limit may have requests left.
      const bucket =
        scope === 'shared' ? bucketHeaders(call, calls - 1, ms / 1_000) : bucketHeaders(call, 0, seconds);
      return { ...bucket, ...refusal };
    },
    clear: () => windows.clear(),
  };

  function bucketHeaders(call: Found, remaining: number, seconds: number) {
    return {
      'x-ratelimit-limit': String(call.route.limit.calls),
      'x-ratelimit-remaining': String(Math.max(0, remaining)),
      'x-ratelimit-reset': (now() / 1_000 + seconds).toFixed(3),
      'x-ratelimit-reset-after': seconds.toFixed(3),
      'x-ratelimit-bucket': bucketOf(call),
    };
  }
}

const bucketOf = ({ name }: Found): string => createHash('sha256').update(name).digest('hex').slice(0, 32);

const refusalHeaders = (seconds: number, scope: Scope): Readonly<Record<string, string>> => ({
  'retry-after': String(Math.ceil(seconds)),
  'x-ratelimit-scope': scope,
  ...(scope === 'global' && { 'x-ratelimit-global': 'true' }),
});

/** The part of a path that identifies a limit. */
function resourceOf({ parts }: Found): string {
  const { channel_id: channel, guild_id: guild, webhook_id: webhook, webhook_token: token } = parts;
  return channel ?? guild ?? (webhook === undefined ? '' : `${webhook}/${token}`);
}
