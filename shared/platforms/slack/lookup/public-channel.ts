import * as v from 'valibot';
import { TtlCache } from '../../../utils/index.ts';
import type { SlackDeps } from '../deps.ts';

/** Short: a channel can be made private. */
const CACHE_TTL_MS = 60_000;

const infoResponse = v.object({
  channel: v.object({ is_channel: v.optional(v.boolean()), is_private: v.optional(v.boolean()) }),
});

/**
 * Whether a channel is public (`conversations.info`), cached for a minute. False for private channels, direct messages and group messages,
 * and where Slack does not answer or the app lacks the scope. Never rejects. Source: docs.slack.dev/reference/objects/conversation-object.
 */
export function publicChannelFinder({
  call,
  time,
}: Pick<SlackDeps, 'call' | 'time'>): (channel: string) => Promise<boolean> {
  const cache = new TtlCache<boolean>({ now: time.now, ttlMs: CACHE_TTL_MS });
  const request = async (channel: string): Promise<boolean> => {
    const { is_channel, is_private } = v.parse(
      infoResponse,
      await call('conversations.info', { channel }),
    ).channel;
    return is_channel === true && is_private === false;
  };
  // Failures are not cached.
  return (channel) => cache.get(channel, request).catch(() => false);
}
