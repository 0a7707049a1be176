import * as v from 'valibot';
import { TtlCache } from '../../../utils/ttl-cache.ts';
import type { SlackDeps } from '../deps.ts';
import { mayNotRead } from './may-not-read.ts';

const CACHE_TTL_MS = 5 * 60_000;

const text = v.nullish(v.string());
const list = v.object({
  usergroups: v.array(
    v.object({ id: v.string(), handle: text, name: text, users: v.optional(v.array(v.string()), []) }),
  ),
});
type Group = v.InferOutput<typeof list>['usergroups'][number];

/** Of an organisation's workspaces, so many are asked for the groups of one person. */
const MAX_TEAMS = 10;

type GroupDeps = Pick<SlackDeps, 'call' | 'time'>;

/**
 * Lists the user groups of a workspace, by one call that counts for five minutes; undefined where Slack does not let the app
 * read them. An app that is installed for a whole organisation has to name the workspace, others name none (`''`).
 * Source: docs.slack.dev/reference/methods/usergroups.list.
 */
export function groupLister({
  call,
  time,
}: GroupDeps): (team: string) => Promise<readonly Group[] | undefined> {
  const cache = new TtlCache<readonly Group[] | undefined>({ now: time.now, ttlMs: CACHE_TTL_MS });
  const readGroups = async (team: string) => {
    const of = team === '' ? {} : { team_id: team };
    try {
      return v.parse(list, await call('usergroups.list', { include_users: true, ...of })).usergroups;
    } catch (error) {
      if (mayNotRead(error)) return undefined;
      throw error;
    }
  };
  return (team) => cache.get(team, readGroups);
}

/**
 * Looks up the user groups that a person is in. `teams` are the workspaces that the person is in, where the app is installed
 * for a whole organisation. Where Slack does not let the app read groups, nobody is in any.
 */
export function groupFinder(
  deps: GroupDeps,
): (user: string, teams?: readonly string[]) => Promise<readonly string[]> {
  const all = groupLister(deps);
  return async (user, teams = ['']) => {
    const groups = await Promise.all(teams.slice(0, MAX_TEAMS).map(all));
    const theirs = groups.flatMap((some) => some ?? []).filter(({ users }) => users.includes(user));
    return [...new Set(theirs.map(({ id }) => id))];
  };
}
