import { NO_GUILD } from '../../../domain/index.ts';
import {
  type Directory,
  type DirectoryPlace,
  findFirst,
  type LookupResult,
  NOT_FOUND,
  chooseMatch,
  isNamed,
  type ReferenceKind,
  UNAVAILABLE,
} from '../../ports/index.ts';
import type { Time } from '../../../runtime/index.ts';
import { TtlCache } from '../../../utils/index.ts';
import { type DiscordCall, DiscordApiError } from '../api/call.ts';
import { ANNOUNCEMENT_THREAD, PRIVATE_THREAD, PUBLIC_THREAD } from '../api/enums.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import { readValue, readId, readList, readNumber, readString } from '../api/json-path.ts';

/** The cache time of a list. Short, so that a new role is found soon. */
const CACHE_TTL_MS = 10_000;
/** How many members are searched by a prefix. One of them should match the whole name. */
const MAX_MATCHES = 100;
/** Threads are left out: settings apply to their parent channel. */
const THREADS: ReadonlySet<number> = new Set([ANNOUNCEMENT_THREAD, PUBLIC_THREAD, PRIVATE_THREAD]);
const UNKNOWN_RESOURCE_CODES: ReadonlySet<number> = new Set([
  ERROR_CODES.UnknownUser,
  ERROR_CODES.UnknownMember,
  ERROR_CODES.UnknownChannel,
]);

/**
 * Finds people, roles and channels of a guild: people by id anywhere, by name among the members, if the bot may search
 * them. Sources: docs:resources/user#get-user, docs:resources/guild#search-guild-members,
 * #get-guild-roles, #get-guild-channels, docs:resources/channel#get-channel.
 */
export function createDiscordDirectory({
  call,
  time,
}: {
  readonly call: DiscordCall;
  readonly time: Time;
}): Directory {
  const lists = new TtlCache<readonly unknown[]>({ now: time.now, ttlMs: CACHE_TTL_MS });
  const fetchList = async (path: string) => readList({ all: await call({ method: 'GET', path }) }, 'all');

  async function findInGuild(
    as: 'group' | 'channel',
    { workspace }: DirectoryPlace,
    isMatch: (one: unknown) => boolean,
  ) {
    if (String(workspace) === NO_GUILD) return NOT_FOUND;
    const all = await lists.get(`/guilds/${workspace}/${as === 'group' ? 'roles' : 'channels'}`, fetchList);
    const ids = all.filter((one) => isMatch(one)).flatMap((one) => readId(one, 'id') ?? []);
    return chooseMatch(
      as,
      ids.map((id) => ({ id: as === 'group' ? `&${id}` : id, exact: false })),
    );
  }

  async function findById(as: ReferenceKind, place: DirectoryPlace, id: string): Promise<LookupResult> {
    if (as === 'group') return findInGuild(as, place, (one) => readId(one, 'id') === id);
    const result: LookupResult = { kind: 'found', as, id };
    if (as === 'channel') {
      const channel = await call({ method: 'GET', path: `/channels/${id}` }).catch(ignoreMissingAccess);
      const isThere = channel === undefined || readId(channel, 'guild_id') === String(place.workspace);
      return isThere && !THREADS.has(readNumber(channel, 'type') ?? 0) ? result : NOT_FOUND;
    }
    await call({ method: 'GET', path: `/users/${id}` });
    return result;
  }

  async function findByName(as: ReferenceKind, place: DirectoryPlace, name: string): Promise<LookupResult> {
    if (as === 'group' || as === 'channel')
      return findInGuild(as, place, (one) => isNamed(name, readString(one, 'name')));
    if (String(place.workspace) === NO_GUILD) return UNAVAILABLE;
    const query = new URLSearchParams({ query: name, limit: String(MAX_MATCHES) });
    const path = `/guilds/${place.workspace}/members/search?${query}`;
    const members = readList({ all: await call({ method: 'GET', path }) }, 'all');
    const matches = members.flatMap((one) => {
      const id = readId(one, 'user', 'id');
      const account = readString(one, 'user', 'username');
      const names = [account, readString(one, 'user', 'global_name'), readString(one, 'nick')];
      const isBot = readValue(one, 'user', 'bot') === true;
      if (id === undefined || isBot !== (as === 'bot') || !isNamed(name, ...names)) return [];
      return [{ id, exact: isNamed(name, account) }];
    });
    return chooseMatch(as, matches);
  }

  return {
    find: (place, { kinds, by, value }) =>
      findFirst(kinds, (kind) =>
        (by === 'id' ? findById : findByName)(kind, place, value).catch(toLookupResult),
      ),
  };
}

/** The channel exists, but the bot does not see it. */
function ignoreMissingAccess(error: unknown): undefined {
  if (!(error instanceof DiscordApiError) || error.code !== ERROR_CODES.MissingAccess) throw error;
}

const toLookupResult = (error: unknown): LookupResult =>
  error instanceof DiscordApiError && UNKNOWN_RESOURCE_CODES.has(error.code) ? NOT_FOUND : UNAVAILABLE;
