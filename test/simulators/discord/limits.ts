import { createHash } from 'node:crypto';
import type { Found } from './routes/index.ts';

/** What the headers of an answer say about the limits. */
export type Taken = {
  readonly headers: Readonly<Record<string, string>>;
  /** Present when the call goes beyond a limit: seconds until it may come again. */
  readonly wait?: { readonly seconds: number; readonly global: boolean };
};

export type Limits = {
  take(found: Found): Taken;
  clear(): void;
};

const GLOBAL = { calls: 50, ms: 1_000 };

/**
 * Counts calls by route and by the channel, guild or webhook they are about, and all calls with the bot's token
 * together. Where limits are not enforced the headers say that there is room.
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
    take(found) {
      const { limit, auth } = found.route;
      const bucket = createHash('sha256').update(found.name).digest('hex').slice(0, 32);
      const used = enforced
        ? count(`${bucket}/${resourceOf(found)}`, limit)
        : { calls: 1, left: limit.ms / 1_000 };
      const headers = {
        'x-ratelimit-limit': String(limit.calls),
        'x-ratelimit-remaining': String(Math.max(0, limit.calls - used.calls)),
        'x-ratelimit-reset': (now() / 1_000 + used.left).toFixed(3),
        'x-ratelimit-reset-after': used.left.toFixed(3),
        'x-ratelimit-bucket': bucket,
      };
      if (used.calls > limit.calls) {
        const scope = { 'x-ratelimit-scope': 'user', 'retry-after': String(Math.ceil(used.left)) };
        return { headers: { ...headers, ...scope }, wait: { seconds: used.left, global: false } };
      }
      // Calls by an interaction's token do not count towards the bot's own.
      if (!enforced || auth !== 'bot') return { headers };
      const all = count('global', GLOBAL);
      if (all.calls <= GLOBAL.calls) return { headers };
      const global = { 'x-ratelimit-global': 'true', 'x-ratelimit-scope': 'global', 'retry-after': '1' };
      return { headers: global, wait: { seconds: all.left, global: true } };
    },
    clear: () => windows.clear(),
  };
}

/** The part of a path that a limit hangs on. */
function resourceOf({ parts }: Found): string {
  const { channel_id: channel, guild_id: guild, webhook_id: webhook, webhook_token: token } = parts;
  return channel ?? guild ?? (webhook === undefined ? '' : `${webhook}/${token}`);
}
