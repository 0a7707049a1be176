import * as z from 'zod/mini';
import type { Person } from '../platform.ts';
import type { SlackDeps } from './deps.ts';

const KEPT_MS = 5 * 60_000;
const MOST = 1_000;

const info = z.object({
  user: z.object({
    locale: z.nullish(z.string()),
    is_admin: z.nullish(z.boolean()),
    is_owner: z.nullish(z.boolean()),
  }),
});

/** Looks up what Slack knows of a person, and keeps it for five minutes. Where that may not be read, nothing is known. */
export function personFinder({ call, time }: Pick<SlackDeps, 'call' | 'time'>) {
  const kept = new Map<string, { readonly until: number; readonly person: Promise<Person> }>();
  const ask = async (user: string): Promise<Person> => {
    const {
      locale,
      is_admin: admin,
      is_owner: owner,
    } = info.parse(await call('users.info', { user, include_locale: true })).user;
    return { locale: locale ?? undefined, admin: admin === true || owner === true };
  };
  return (user: string): Promise<Person> => {
    const known = kept.get(user);
    if (known && known.until > time.now()) return known.person;
    const person = ask(user).catch((): Person => ({}));
    if (kept.size >= MOST) kept.clear();
    kept.set(user, { until: time.now() + KEPT_MS, person });
    return person;
  };
}
