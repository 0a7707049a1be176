import * as v from 'valibot';
import {
  type Directory,
  type DirectoryPlace,
  firstFound,
  type LookupResult,
  NOT_FOUND,
  oneOf,
  type DirectoryReference,
  type ReferenceKind,
  UNAVAILABLE,
} from '../../ports/directory.ts';
import { TtlCache } from '../../../utils/ttl-cache.ts';
import { SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';
import { groupLister } from './user-groups.ts';

const CACHE_TTL_MS = 5 * 60_000;
/** `users.list` gives so many at a time at most, and so many times it is asked for one name. */
const PAGE_SIZE = 1_000;
const MAX_PAGES = 10;

/** What Slack says of an id that stands for nothing here. */
const NO_SUCH: ReadonlySet<string> = new Set([
  'user_not_found',
  'users_not_found',
  'user_not_visible',
  'channel_not_found',
]);

const text = v.nullish(v.string());
const page = v.object({
  members: v.array(
    v.object({
      id: v.string(),
      name: text,
      deleted: v.nullish(v.boolean()),
      real_name: text,
      profile: v.nullish(v.object({ display_name: text, real_name: text })),
    }),
  ),
  response_metadata: v.nullish(v.object({ next_cursor: text })),
});
type Member = v.InferOutput<typeof page>['members'][number];

/**
 * The people, user groups and channels of a Slack workspace. People are looked up by `users.info`, by name among those that
 * `users.list` gives; groups among those of `usergroups.list`. A channel is asked for one message: that needs no scope
 * beside those that the bot has for reading, and tells one where it is not a member from one that there is not; for their
 * names there is no scope.
 */
export function createSlackDirectory(deps: Pick<SlackDeps, 'call' | 'time'>): Directory {
  const { call, time } = deps;
  const cache = new TtlCache<Awaited<ReturnType<typeof listMembers>>>({ now: time.now, ttlMs: CACHE_TTL_MS });
  const members = (team: string) => cache.get(team, () => listMembers(deps, team));
  const groups = groupLister(deps);

  async function byId(kind: ReferenceKind, place: DirectoryPlace, { value, mentioned }: DirectoryReference) {
    const found: LookupResult = { kind: 'found', as: kind, id: value };
    switch (kind) {
      case 'person':
        await call('users.info', { user: value });
        return found;
      case 'group': {
        const all = await groups(teamOf(place));
        return all ? (all.some(({ id }) => id === value) ? found : NOT_FOUND) : UNAVAILABLE;
      }
      case 'channel':
        if (mentioned || value === String(place.channel)) return found;
        await call('conversations.history', { channel: value, limit: 1 }).catch(elsewhere);
        return found;
      case 'bot':
        // Slack does not tell of other apps by their ids.
        return found;
    }
  }

  async function byName(kind: ReferenceKind, place: DirectoryPlace, name: string): Promise<LookupResult> {
    if (kind === 'person') {
      const { all, complete } = await members(teamOf(place));
      const found = oneOf('person', named(all, name));
      return found.kind === 'not-found' && !complete ? UNAVAILABLE : found;
    }
    if (kind !== 'group') return UNAVAILABLE;
    const all = await groups(teamOf(place));
    if (!all) return UNAVAILABLE;
    return oneOf(
      'group',
      all.filter((one) => isNamed(name, one.handle, one.name)).map(({ id }) => ({ id, exact: false })),
    );
  }

  return {
    find: (place, reference) =>
      firstFound(reference.kinds, (kind) =>
        (reference.by === 'id' ? byId(kind, place, reference) : byName(kind, place, reference.value)).catch(
          untold,
        ),
      ),
  };
}

const teamOf = ({ workspace, team }: DirectoryPlace): string =>
  workspace.startsWith('E') && team !== undefined ? team : '';

/** The bot is no member there: so there is such a channel. */
function elsewhere(error: unknown): void {
  if (!(error instanceof SlackApiError) || error.code !== 'not_in_channel') throw error;
}

const untold = (error: unknown): LookupResult =>
  error instanceof SlackApiError && NO_SUCH.has(error.code) ? NOT_FOUND : UNAVAILABLE;

/** Everybody in a workspace, as far as `MAX_PAGES` reach. Source: docs.slack.dev/reference/methods/users.list. */
async function listMembers({ call }: Pick<SlackDeps, 'call'>, team: string) {
  const all: Member[] = [];
  let cursor = '';
  for (let nth = 0; nth < MAX_PAGES; nth += 1) {
    const where = { ...(team === '' ? {} : { team_id: team }), ...(cursor === '' ? {} : { cursor }) };
    const { members, response_metadata } = v.parse(
      page,
      await call('users.list', { limit: PAGE_SIZE, ...where }),
    );
    all.push(...members);
    cursor = response_metadata?.next_cursor ?? '';
    if (cursor === '') return { all, complete: true };
  }
  return { all, complete: false };
}

const named = (all: readonly Member[], name: string) =>
  all
    .filter(({ deleted, name: account, real_name, profile }) =>
      deleted === true ? false : isNamed(name, account, real_name, profile?.display_name, profile?.real_name),
    )
    .map(({ id, name: account }) => ({ id, exact: isNamed(name, account) }));

const isNamed = (wanted: string, ...names: readonly (string | null | undefined)[]): boolean =>
  names.some((name) => name?.normalize('NFKC').toLowerCase() === wanted);
