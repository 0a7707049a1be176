import * as v from 'valibot';
import { remembered } from '../remember.ts';
import type { SlackDeps } from './deps.ts';
import { mayNotRead } from './may-not-read.ts';

const KEPT_MS = 5 * 60_000;

const list = v.object({
  usergroups: v.array(v.object({ id: v.string(), users: v.optional(v.array(v.string()), []) })),
});

/** Of an organisation's workspaces, so many are asked for the groups of one person. */
const MOST_TEAMS = 10;

/**
 * Looks up the user groups that a person is in, by one call for all of a workspace, which counts for five minutes. An app
 * that is installed for a whole organisation has to name the workspaces: `teams`, those that the person is in. Where Slack
 * does not let the app read groups, nobody is in any. Source: docs.slack.dev/reference/methods/usergroups.list.
 */
export function groupFinder({
  call,
  time,
}: Pick<SlackDeps, 'call' | 'time'>): (
  user: string,
  teams?: readonly string[],
) => Promise<readonly string[]> {
  const all = remembered(
    async (team) => {
      const of = team === '' ? {} : { team_id: team };
      try {
        return v.parse(list, await call('usergroups.list', { include_users: true, ...of })).usergroups;
      } catch (error) {
        if (mayNotRead(error)) return [];
        throw error;
      }
    },
    KEPT_MS,
    time.now,
  );
  return async (user, teams = ['']) => {
    const groups = await Promise.all(teams.slice(0, MOST_TEAMS).map(all));
    const theirs = groups.flat().filter(({ users }) => users.includes(user));
    return [...new Set(theirs.map(({ id }) => id))];
  };
}
