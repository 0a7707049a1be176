import * as v from 'valibot';
import type { ChannelAccess } from '../../ports/index.ts';
import { TtlCache } from '../../../utils/index.ts';
import { SlackApiError } from '../api/call.ts';
import { classifyError } from '../api/errors.ts';
import type { SlackDeps } from '../deps.ts';
import type { SlackUserProfile } from './user-profile.ts';

/** Short: a channel can be made private. */
const CACHE_TTL_MS = 60_000;
/** Slack recommends no more (docs.slack.dev/apis/web-api/pagination). */
const MEMBERS_PER_PAGE = 200;
/** A channel with more members than these pages hold is not read to its end. */
const MAX_MEMBER_PAGES = 20;

const infoResponse = v.object({
  channel: v.object({
    is_channel: v.optional(v.boolean()),
    is_private: v.optional(v.boolean()),
    is_archived: v.optional(v.boolean()),
  }),
});
const membersResponse = v.object({
  members: v.array(v.string()),
  response_metadata: v.nullish(v.object({ next_cursor: v.nullish(v.string()) })),
});

/**
 * Whether a channel is public (`conversations.info`), cached for a minute. False for private channels, direct messages and group messages,
 * and where Slack does not answer or the app lacks the scope. Never rejects. Source: docs.slack.dev/reference/objects/conversation-object.
 */
export function createPublicChannelFinder({
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

/**
 * Finds out whether a person may read a channel: everybody but guests and people of other companies a public one, its members any
 * (`conversations.members`). Unknown where Slack refuses to tell (the bot is no member, or lacks the scope), in archived channels, and where more than 4,000 members
 * would have to be read. Not cached. Rejects if Slack does not respond, or limits the rate. Source:
 * docs.slack.dev/reference/methods/conversations.members.
 */
export function createChannelAccessFinder({
  call,
  readPerson,
}: Pick<SlackDeps, 'call'> & {
  readonly readPerson: (user: string) => Promise<SlackUserProfile>;
}): (channel: string, user: string) => Promise<ChannelAccess> {
  const isMember = async (channel: string, user: string): Promise<ChannelAccess> => {
    let cursor = '';
    for (let page = 0; page < MAX_MEMBER_PAGES; page += 1) {
      const next = cursor === '' ? {} : { cursor };
      const args = { channel, limit: MEMBERS_PER_PAGE, ...next };
      const response = v.parse(membersResponse, await call('conversations.members', args));
      if (response.members.includes(user)) return 'allowed';
      cursor = response.response_metadata?.next_cursor ?? '';
      if (cursor === '') return 'denied';
    }
    return 'unknown';
  };
  const find = async (channel: string, user: string): Promise<ChannelAccess> => {
    const info = v.parse(infoResponse, await call('conversations.info', { channel })).channel;
    // Nothing can be posted there, and whether Slack still tells its members is not documented.
    if (info.is_archived === true) return 'unknown';
    const isOpen = info.is_channel === true && info.is_private === false;
    if (isOpen) {
      const { isGuest, isStranger } = await readPerson(user);
      if (isGuest !== true && isStranger !== true) return 'allowed';
    }
    return isMember(channel, user);
  };
  return (channel, user) =>
    find(channel, user).catch((error: unknown) => {
      if (error instanceof SlackApiError && classifyError(error).kind === 'refused') return 'unknown';
      throw error;
    });
}
