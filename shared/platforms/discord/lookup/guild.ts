import { NO_GUILD, type WorkspaceId } from '../../../domain/index.ts';
import { TtlCache } from '../../../utils/index.ts';
import { type DiscordCall, DiscordApiError } from '../api/call.ts';
import type { Time } from '../../../runtime/index.ts';
import { canManageGuild } from '../inbound/interaction.ts';
import { readBits, readId, readList, readNumber, readString } from '../api/json-path.ts';

/** What the bot needs to know of a guild. */
export type Guild = {
  /** The guild's locale, a BCP 47 tag. Unlike interactions, messages do not contain the locale of their author. */
  readonly locale?: string | undefined;
  readonly owner?: string | undefined;
  /** The roles with the permission to administer or manage the guild. */
  readonly managers?: ReadonlySet<string> | undefined;
  /** The permissions of each role as a bit set. The id of @everyone is that of the guild. */
  readonly roles?: ReadonlyMap<string, bigint> | undefined;
  /** The boost tier: 0 to 3. */
  readonly tier: number;
};

export type GuildFinder = (workspace: WorkspaceId) => Promise<Guild>;

/** The cache time. Short enough that new permissions apply soon. */
const CACHE_TTL_MS = 5 * 60_000;
const UNKNOWN: Guild = { tier: 0 };

type GuildDeps = { readonly call: DiscordCall; readonly time: Time };

/** The same as `createGuildReader`, but nothing is known where that rejects: for what can do without. */
export const createGuildFinder = (deps: GuildDeps): GuildFinder => unknownOnFailure(createGuildReader(deps));

/** Makes a lookup never reject. */
export const unknownOnFailure =
  (read: GuildFinder): GuildFinder =>
  (workspace) =>
    read(workspace).catch(() => UNKNOWN);

/**
 * Looks up a guild and caches it for five minutes. If the bot is no member, or may not read it, nothing is known. Rejects if Discord does not
 * respond.
 */
export function createGuildReader({ call, time }: GuildDeps): GuildFinder {
  const readGuild = async (id: string): Promise<Guild> => {
    try {
      const guild = await call({ method: 'GET', path: `/guilds/${id}` });
      return {
        locale: readString(guild, 'preferred_locale'),
        tier: readNumber(guild, 'premium_tier') ?? 0,
        owner: readId(guild, 'owner_id'),
        roles: new Map(
          readList(guild, 'roles').flatMap((role): [string, bigint][] => {
            const key = readId(role, 'id');
            return key === undefined ? [] : [[key, readBits(role, 'permissions')]];
          }),
        ),
        managers: new Set(
          readList(guild, 'roles')
            .filter((role) => canManageGuild(readString(role, 'permissions')))
            .flatMap((role) => readId(role, 'id') ?? []),
        ),
      };
    } catch (error) {
      if (error instanceof DiscordApiError) return UNKNOWN;
      throw error;
    }
  };
  const guilds = new TtlCache<Guild>({ now: time.now, ttlMs: CACHE_TTL_MS });
  return async (workspace) => (String(workspace) === NO_GUILD ? UNKNOWN : guilds.get(workspace, readGuild));
}
