import * as v from 'valibot';
import { TtlCache } from '../../../utils/index.ts';
import type { SlackDeps } from '../deps.ts';
import { SlackApiError } from '../api/call.ts';
import { isReadForbidden } from '../api/read-forbidden.ts';

const CACHE_TTL_MS = 5 * 60_000;

const text = v.nullish(v.string());
const userGroupsResponse = v.object({
  usergroups: v.array(
    v.object({ id: v.string(), handle: text, name: text, users: v.optional(v.array(v.string()), []) }),
  ),
});
type Group = v.InferOutput<typeof userGroupsResponse>['usergroups'][number];

/**
 * The plan of the workspace has no groups, or the app is not in the workspace: a member of another organization in a shared channel is in
 * one that an org-wide installation cannot name.
 */
const HAS_NO_GROUPS: ReadonlySet<string> = new Set([
  'invalid_team',
  'plan_upgrade_required',
  'team_access_not_granted',
  'team_not_found',
]);

const hasNoGroups = (error: unknown): boolean =>
  isReadForbidden(error) || (error instanceof SlackApiError && HAS_NO_GROUPS.has(error.code));

/** Of how many workspaces of an organization the groups of one person are read. */
const MAX_TEAMS = 10;

type GroupDeps = Pick<SlackDeps, 'call' | 'time'>;

/**
 * Lists the user groups of a workspace, and caches them for five minutes; undefined if there are none that the app may read. An org-wide installation
 * must name the workspace, others pass `''`. Source: docs.slack.dev/reference/methods/usergroups.list.
 */
export function createUserGroupLister({
  call,
  time,
}: GroupDeps): (team: string) => Promise<readonly Group[] | undefined> {
  const cache = new TtlCache<readonly Group[] | undefined>({ now: time.now, ttlMs: CACHE_TTL_MS });
  const readGroups = async (team: string) => {
    const teamArgument = team === '' ? {} : { team_id: team };
    try {
      return v.parse(
        userGroupsResponse,
        await call('usergroups.list', { include_users: true, ...teamArgument }),
      ).usergroups;
    } catch (error) {
      if (hasNoGroups(error)) return undefined;
      throw error;
    }
  };
  return (team) => cache.get(team, readGroups);
}

/**
 * Finds the user groups of a person. For an org-wide installation, `teams` are the workspaces of the person. Of workspaces
 * whose groups the app may not read, there are none.
 */
export function userGroupFinder(
  deps: GroupDeps,
): (user: string, teams?: readonly string[]) => Promise<readonly string[]> {
  const listGroups = createUserGroupLister(deps);
  return async (user, teams = ['']) => {
    const groups = await Promise.all(teams.slice(0, MAX_TEAMS).map(listGroups));
    const groupsOfUser = groups.flatMap((some) => some ?? []).filter(({ users }) => users.includes(user));
    return [...new Set(groupsOfUser.map(({ id }) => id))];
  };
}
