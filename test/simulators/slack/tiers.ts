/**
 * The rate limits of methods, per workspace and minute (docs.slack.dev, web API rate limits). Slack guarantees these
 * rates as minima and permits bursts above them; the simulator is strict, so that what passes here passes there.
 */
export const TIER_PER_MINUTE = { t1: 1, t2: 20, t3: 50, t4: 100, special: 600 } as const;
export type Tier = keyof typeof TIER_PER_MINUTE;

const MINUTE = 60_000;
/** About one message per second and channel, with short bursts; the size of the burst is a guess. */
const POSTS = { intervalMs: 1_000, burst: 5 };

export type TierLimits = {
  /** The retry time in seconds, or undefined if the request is permitted and counted. */
  take(method: string, tier: Tier, channel: string | undefined): number | undefined;
};

/** Counts calls. `now` gives ms since 1970, `windowMs` is the length of a window: a minute at Slack. */
export function createTierLimits(now: () => number, windowMs = MINUTE): TierLimits {
  const calls = new Map<string, number[]>();
  const posts = new Map<string, number>();
  return {
    take(method, tier, channel) {
      const at = now();
      const recent = (calls.get(method) ?? []).filter((time) => time > at - windowMs);
      const oldest = recent[recent.length - TIER_PER_MINUTE[tier]];
      if (oldest !== undefined) return seconds(oldest + windowMs - at);
      if (method === 'chat.postMessage' && channel !== undefined) {
        const due = Math.max(posts.get(channel) ?? at, at);
        const early = due - at - (POSTS.burst - 1) * POSTS.intervalMs;
        if (early > 0) return seconds(early);
        posts.set(channel, due + POSTS.intervalMs);
      }
      calls.set(method, [...recent, at]);
      return undefined;
    },
  };
}

/**
 * To apps that are distributed outside of Slack's Marketplace, `conversations.history` and `.replies` answer once a minute each, in
 * each workspace, with 15 messages at most and unless told. Internal apps are exempt.
 * Source: docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps.
 */
export const OUTSIDE_MARKETPLACE = { perMinute: 1, messages: 15 } as const;
const READS_HISTORY: ReadonlySet<string> = new Set(['conversations.history', 'conversations.replies']);

export type HistoryLimits = TierLimits & {
  /** As if a minute had passed since the last read. */
  reset(): void;
};

/** Counts history reads of an app outside of the Marketplace. */
export function createHistoryLimits(now: () => number): HistoryLimits {
  const last = new Map<string, number>();
  return {
    take(method) {
      if (!READS_HISTORY.has(method)) return undefined;
      const at = now();
      const due = (last.get(method) ?? -Infinity) + MINUTE / OUTSIDE_MARKETPLACE.perMinute;
      if (due > at) return seconds(due - at);
      last.set(method, at);
      return undefined;
    },
    reset: () => last.clear(),
  };
}

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000));
