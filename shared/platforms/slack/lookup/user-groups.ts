import * as v from 'valibot';
import { TtlCache } from '../../../utils/index.ts';
import type { SlackDeps } from '../deps.ts';
import { isReadForbidden } from '../api/read-forbidden.ts';

const CACHE_TTL_MS = 5 * 60_000;

const text = v.nullish(v.string());
const userGroupsResponse = v.object({
  usergroups: v.array(
    v.object({ id: v.string(), handle: text, name: text, users: v.optional(v.array(v.string()), []) }),
  ),
});
type Group = v.InferOutput<typeof userGroupsResponse>['usergroups'][number];

/** Of how many workspaces of an organization the groups of one person are read. */
const MAX_TEAMS = 10;

type GroupDeps = Pick<SlackDeps, 'call' | 'time'>;

/**
 * Lists the user groups of a workspace, and caches them for five minutes; undefined if the app may not read them. An org-wide installation
 * must name the workspace, others pass `''`. Source: docs.slack.dev/reference/methods/usergroups.list.
 */
export function userGroupLister({
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
      if (isReadForbidden(error)) return undefined;
      throw error;
    }
  };
  return (team) => cache.get(team, readGroups);
}

/**
 * Finds the user groups of a person. For an org-wide installation, `teams` are the workspaces of the person. If the app may not read
 * groups, the result is empty.
 */
export function userGroupFinder(
  deps: GroupDeps,
): (user: string, teams?: readonly string[]) => Promise<readonly string[]> {
  const listGroups = userGroupLister(deps);
  return async (user, teams = ['']) => {
    const groups = await Promise.all(teams.slice(0, MAX_TEAMS).map(listGroups));
    const groupsOfUser = groups.flatMap((some) => some ?? []).filter(({ users }) => users.includes(user));
    return [...new Set(groupsOfUser.map(({ id }) => id))];
  };
}
