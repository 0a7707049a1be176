import { NO_GUILD, type UserId, type WorkspaceId } from '../../../domain/index.ts';
import type { Time } from '../../retry.ts';
import type { MemberRoles } from '../../ports/platform.ts';
import { cached } from '../../ttl-cache.ts';
import { type DiscordCall, DiscordApiError } from '../api/call.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import type { GuildFinder } from './guild.ts';
import { listAt } from '../inbound/json-path.ts';

const CACHE_TTL_MS = 5 * 60_000;
const NOBODY: MemberRoles = { admin: false, roles: [] };
/** The person is not there, or the bot is not. Whatever else Discord refuses with may pass, and says nothing of anybody. */
const NOT_THERE: ReadonlySet<number> = new Set([
  ERROR_CODES.UnknownGuild,
  ERROR_CODES.UnknownMember,
  ERROR_CODES.UnknownUser,
  ERROR_CODES.MissingAccess,
]);

/**
 * Looks up what a person is in a guild, for messages, which do not say it, and keeps it for five minutes. Where the bot is
 * not, and of who is not there, nothing is known. Rejects when Discord cannot be asked.
 */
export function memberRolesFinder({
  call,
  guild,
  time,
}: {
  readonly call: DiscordCall;
  readonly guild: GuildFinder;
  readonly time: Time;
}): (workspace: WorkspaceId, user: UserId) => Promise<MemberRoles> {
  const rolesOf = cached(
    async (path) => {
      try {
        const member = await call({ method: 'GET', path });
        return listAt(member, 'roles').filter((role) => typeof role === 'string');
      } catch (error) {
        if (error instanceof DiscordApiError && NOT_THERE.has(error.code)) return undefined;
        throw error;
      }
    },
    CACHE_TTL_MS,
    time.now,
  );
  return async (workspace, user) => {
    if (String(workspace) === NO_GUILD) return NOBODY;
    const [{ owner, managers }, roles] = await Promise.all([
      guild(workspace),
      rolesOf(`/guilds/${workspace}/members/${user}`),
    ]);
    if (!roles) return NOBODY;
    // The role that everybody has bears the guild's own id.
    const admin =
      owner === String(user) || [workspace, ...roles].some((role) => managers?.has(role) === true);
    return { admin, roles };
  };
}
