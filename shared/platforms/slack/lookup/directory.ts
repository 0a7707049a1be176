import * as v from 'valibot';
import {
  type Directory,
  type DirectoryPlace,
  findFirst,
  type LookupResult,
  NOT_FOUND,
  chooseMatch,
  isNamed,
  type DirectoryReference,
  type ReferenceKind,
  UNAVAILABLE,
} from '../../ports/index.ts';
import { TtlCache } from '../../../utils/index.ts';
import { SlackApiError } from '../api/call.ts';
import { isReadForbidden } from '../api/read-forbidden.ts';
import type { SlackDeps } from '../deps.ts';
import { createUserGroupLister } from './user-groups.ts';

const CACHE_TTL_MS = 5 * 60_000;
/** The page size of `users.list`, and how many pages are read to find a name. */
const PAGE_SIZE = 1_000;
const MAX_PAGES = 10;

/** Errors of Slack for an id that does not exist in this workspace. */
const NOT_FOUND_ERRORS: ReadonlySet<string> = new Set([
  'user_not_found',
  'users_not_found',
  'user_not_visible',
  'channel_not_found',
]);

const text = v.nullish(v.string());
const pageResponse = v.object({
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
type Member = v.InferOutput<typeof pageResponse>['members'][number];

/**
 * Finds people, user groups and channels of a Slack workspace: people by id with `users.info` and by name with `users.list`, groups with
 * `usergroups.list`. A channel is checked with `conversations.info`, which finds public channels without the bot too. Where a scope for that
 * is missing, as for direct messages, one message is read from it. Channels are not found by name: that would take a request for each page
 * of all channels.
 */
export function createSlackDirectory(deps: Pick<SlackDeps, 'call' | 'time'>): Directory {
  const { call, time } = deps;
  const cache = new TtlCache<Awaited<ReturnType<typeof listMembers>>>({ now: time.now, ttlMs: CACHE_TTL_MS });
  const members = (team: string) => cache.get(team, () => listMembers(deps, team));
  const groups = createUserGroupLister(deps);

  async function byId(kind: ReferenceKind, place: DirectoryPlace, { value, mentioned }: DirectoryReference) {
    const result: LookupResult = { kind: 'found', as: kind, id: value };
    switch (kind) {
      case 'person':
        await call('users.info', { user: value });
        return result;
      case 'group': {
        const all = await groups(teamParameter(place));
        return all ? (all.some(({ id }) => id === value) ? result : NOT_FOUND) : UNAVAILABLE;
      }
      case 'channel':
        if (mentioned || value === String(place.channel)) return result;
        await call('conversations.info', { channel: value }).catch((error: unknown) => {
          if (!isReadForbidden(error)) throw error;
          // An app outside of the Marketplace may read history once a minute, so this is not the first request.
          return call('conversations.history', { channel: value, limit: 1 }).catch(ignoreNotInChannel);
        });
        return result;
      case 'bot':
        // Slack has no method to look up another app by its id.
        return result;
    }
  }

  async function byName(kind: ReferenceKind, place: DirectoryPlace, name: string): Promise<LookupResult> {
    if (kind === 'person') {
      const { all, complete } = await members(teamParameter(place));
      const result = chooseMatch('person', findNamed(all, name));
      return result.kind === 'not-found' && !complete ? UNAVAILABLE : result;
    }
    if (kind !== 'group') return UNAVAILABLE;
    const all = await groups(teamParameter(place));
    if (!all) return UNAVAILABLE;
    return chooseMatch(
      'group',
      all.filter((one) => isNamed(name, one.handle, one.name)).map(({ id }) => ({ id, exact: false })),
    );
  }

  return {
    find: (place, reference) =>
      findFirst(reference.kinds, (kind) =>
        (reference.by === 'id' ? byId(kind, place, reference) : byName(kind, place, reference.value)).catch(
          toFailedLookup,
        ),
      ),
  };
}

const teamParameter = ({ workspace, team }: DirectoryPlace): string =>
  workspace.startsWith('E') && team !== undefined ? team : '';

/** Ignores the error for a channel that exists, but does not have the bot as a member. */
function ignoreNotInChannel(error: unknown): void {
  if (!(error instanceof SlackApiError) || error.code !== 'not_in_channel') throw error;
}

const toFailedLookup = (error: unknown): LookupResult =>
  error instanceof SlackApiError && NOT_FOUND_ERRORS.has(error.code) ? NOT_FOUND : UNAVAILABLE;

/** Lists the people of a workspace, up to `MAX_PAGES` pages. Source: docs.slack.dev/reference/methods/users.list. */
async function listMembers({ call }: Pick<SlackDeps, 'call'>, team: string) {
  const all: Member[] = [];
  let cursor = '';
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const parameters = { ...(team === '' ? {} : { team_id: team }), ...(cursor === '' ? {} : { cursor }) };
    const { members, response_metadata } = v.parse(
      pageResponse,
      await call('users.list', { limit: PAGE_SIZE, ...parameters }),
    );
    all.push(...members);
    cursor = response_metadata?.next_cursor ?? '';
    if (cursor === '') return { all, complete: true };
  }
  return { all, complete: false };
}

const findNamed = (all: readonly Member[], name: string) =>
  all
    .filter(({ deleted, name: account, real_name, profile }) =>
      deleted === true ? false : isNamed(name, account, real_name, profile?.display_name, profile?.real_name),
    )
    .map(({ id, name: account }) => ({ id, exact: isNamed(name, account) }));
