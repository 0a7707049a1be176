import * as z from 'zod/mini';
import { remembered } from '../remember.ts';
import type { SlackDeps } from './deps.ts';
import { mayNotRead } from './may-not-read.ts';

const KEPT_MS = 5 * 60_000;

const list = z.object({
  usergroups: z.array(z.object({ id: z.string(), users: z._default(z.array(z.string()), []) })),
});

/**
 * Looks up the user groups that a person is in, by one call for all of a workspace, which counts for five minutes. Where
 * Slack does not let the app read them, nobody is in any. Source: docs.slack.dev/reference/methods/usergroups.list.
 */
export function groupFinder({
  call,
  time,
}: Pick<SlackDeps, 'call' | 'time'>): (user: string) => Promise<readonly string[]> {
  const all = remembered(
    async () => {
      try {
        return list.parse(await call('usergroups.list', { include_users: true })).usergroups;
      } catch (error) {
        if (mayNotRead(error)) return [];
        throw error;
      }
    },
    KEPT_MS,
    time.now,
  );
  return async (user) => {
    const groups = await all('');
    return groups.filter(({ users }) => users.includes(user)).map(({ id }) => id);
  };
}
