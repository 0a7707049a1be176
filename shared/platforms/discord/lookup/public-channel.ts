import { NO_GUILD } from '../../../domain/index.ts';
import type { FindChannelVisibility } from '../../ports/index.ts';
import { TtlCache } from '../../../utils/index.ts';
import { DiscordApiError } from '../api/call.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import { PRIVATE_THREAD } from '../api/enums.ts';
import { readNumber } from '../api/json-path.ts';
import type { DiscordDeps } from '../deps.ts';
import { isPrivate } from '../inbound/conversation-key.ts';
import { PERMISSIONS } from './permissions.ts';
import { getPermissionsOfAll } from './readable-channels.ts';

/** Short: the permissions of a channel can change. */
const CACHE_TTL_MS = 60_000;

/**
 * Whether everybody in the guild sees a channel: the role @everyone, whose id is that of the guild, may view it, and no other role or member is
 * denied that (docs:topics/permissions#permission-overwrites). False for private threads and ephemeral answers, outside of guilds, and where Discord does
 * not tell. Never rejects.
 */
export function createPublicChannelFinder({
  call,
  guild,
  time,
}: Pick<DiscordDeps, 'call' | 'guild' | 'time'>): FindChannelVisibility {
  const cache = new TtlCache<unknown>({ now: time.now, ttlMs: CACHE_TTL_MS });
  const get = (id: string) => cache.get(`/channels/${id}`, (path) => call({ method: 'GET', path }));
  /** A thread, if it is one: its id is often that of the message from which it was created, which is no channel without a thread. */
  const isPrivateThread = async (id: string): Promise<boolean> => {
    try {
      return readNumber(await get(id), 'type') === PRIVATE_THREAD;
    } catch (error) {
      if (error instanceof DiscordApiError && error.code === ERROR_CODES.UnknownChannel) return false;
      throw error;
    }
  };
  return async ({ workspace, channel, root }) => {
    if (String(workspace) === NO_GUILD || (root !== undefined && isPrivate({ root }))) return false;
    try {
      const [{ roles }, place] = await Promise.all([guild(workspace), get(channel)]);
      const base = roles?.get(workspace);
      if (base === undefined) return false;
      const isOpen = (getPermissionsOfAll(place, workspace, base) & PERMISSIONS.ViewChannel.bit) !== 0n;
      const threadId = root !== undefined && /^\d+$/u.test(root) ? root : undefined;
      return isOpen && !(threadId !== undefined && (await isPrivateThread(threadId)));
    } catch {
      return false;
    }
  };
}
