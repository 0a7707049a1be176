import { NO_GUILD, type UserId, type WorkspaceId } from '../../conversation/index.ts';
import type { Time } from '../patience.ts';
import type { Standing } from '../platform.ts';
import { remembered } from '../remember.ts';
import { type DiscordCall, DiscordRefused } from './call.ts';
import { ERROR_CODES } from './error-codes.ts';
import type { GuildFinder } from './guild.ts';
import { listAt } from './json.ts';

const KEPT_MS = 5 * 60_000;
const NOBODY: Standing = { admin: false, roles: [] };
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
export function standingFinder({
  call,
  guild,
  time,
}: {
  readonly call: DiscordCall;
  readonly guild: GuildFinder;
  readonly time: Time;
}): (workspace: WorkspaceId, user: UserId) => Promise<Standing> {
  const rolesOf = remembered(
    async (path) => {
      try {
        const member = await call({ method: 'GET', path });
        return listAt(member, 'roles').filter((role) => typeof role === 'string');
      } catch (error) {
        if (error instanceof DiscordRefused && NOT_THERE.has(error.code)) return undefined;
        throw error;
      }
    },
    KEPT_MS,
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
