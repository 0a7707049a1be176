import * as z from 'zod/mini';
import type { Person } from '../platform.ts';
import { remembered } from '../remember.ts';
import type { SlackDeps } from './deps.ts';
import { mayNotRead } from './may-not-read.ts';

const KEPT_MS = 5 * 60_000;

const info = z.object({
  user: z.object({
    locale: z.nullish(z.string()),
    is_admin: z.nullish(z.boolean()),
    is_owner: z.nullish(z.boolean()),
    team_id: z.nullish(z.string()),
    enterprise_user: z.nullish(z.object({ teams: z._default(z.array(z.string()), []) })),
  }),
});

/** `teams`: the workspaces of an organisation that they are in, or the one. */
export type SlackPerson = Person & { readonly teams?: readonly string[] };

/** Looks up what Slack knows of a person, and keeps it for five minutes. Where that may not be read, nothing is known. */
export function personFinder({
  call,
  time,
}: Pick<SlackDeps, 'call' | 'time'>): (user: string) => Promise<SlackPerson> {
  const ask = async (user: string): Promise<SlackPerson> => {
    const known = info.parse(await call('users.info', { user, include_locale: true })).user;
    const { locale, is_admin: admin, is_owner: owner, team_id: team, enterprise_user: wide } = known;
    const teams = wide?.teams ?? (team ? [team] : []);
    return { locale: locale ?? undefined, admin: admin === true || owner === true, teams };
  };
  const known = async (user: string): Promise<SlackPerson> => {
    try {
      return await ask(user);
    } catch (error) {
      if (mayNotRead(error)) return {};
      throw error;
    }
  };
  const find = remembered(known, KEPT_MS, time.now);
  // What failed for a moment is not remembered.
  return (user) => find(user).catch((): SlackPerson => ({}));
}
