import { NO_GUILD, type UserId, type WorkspaceId } from '../../../domain/index.ts';
import type { Time } from '../../../runtime/index.ts';
import type { MemberRoles } from '../../ports/index.ts';
import { TtlCache } from '../../../utils/index.ts';
import { type DiscordCall, DiscordApiError } from '../api/call.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import type { GuildFinder } from './guild.ts';
import { readList } from '../api/json-path.ts';

const CACHE_TTL_MS = 5 * 60_000;
const NO_ROLES: MemberRoles = { admin: false, roles: [] };
const HAS_LEFT: MemberRoles = { ...NO_ROLES, hasLeft: true };
/** The bot is no member. Other refusals may be temporary and say nothing about a person. */
const BOT_LEFT_CODES: ReadonlySet<number> = new Set([ERROR_CODES.UnknownGuild, ERROR_CODES.MissingAccess]);
/** The person is no member. */
const LEFT_CODES: ReadonlySet<number> = new Set([ERROR_CODES.UnknownMember, ERROR_CODES.UnknownUser]);

/**
 * Looks up the roles of a person in a guild, since messages do not contain them, and caches them for five minutes. If the bot
 * is no member, nothing is known. Rejects if Discord does not respond.
 */
export function createMemberRolesFinder({
  call,
  guild,
  time,
}: {
  readonly call: DiscordCall;
  readonly guild: GuildFinder;
  readonly time: Time;
}): (workspace: WorkspaceId, user: UserId) => Promise<MemberRoles> {
  const cache = new TtlCache<readonly string[] | MemberRoles>({ now: time.now, ttlMs: CACHE_TTL_MS });
  const readRoles = async (path: string) => {
    try {
      const member = await call({ method: 'GET', path });
      return readList(member, 'roles').filter((role) => typeof role === 'string');
    } catch (error) {
      if (error instanceof DiscordApiError && BOT_LEFT_CODES.has(error.code)) return NO_ROLES;
      if (error instanceof DiscordApiError && LEFT_CODES.has(error.code)) return HAS_LEFT;
      throw error;
    }
  };
  return async (workspace, user) => {
    if (String(workspace) === NO_GUILD) return NO_ROLES;
    const [{ owner, managers }, roles] = await Promise.all([
      guild(workspace),
      cache.get(`/guilds/${workspace}/members/${user}`, readRoles),
    ]);
    if ('admin' in roles) return roles;
    // The id of the role @everyone is that of the guild.
    const isAdmin =
      owner === String(user) || [workspace, ...roles].some((role) => managers?.has(role) === true);
    return { admin: isAdmin, roles };
  };
}
