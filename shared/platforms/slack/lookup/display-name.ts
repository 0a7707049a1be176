import * as v from 'valibot';
import { SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';

/** The name that people see of a user; `<@U…>` where that may not be read. Never throws. */
export type NameOf = (user: string) => Promise<string>;

const MAX = 1_000;

const text = v.nullish(v.string());
const info = v.object({
  user: v.object({
    name: text,
    real_name: text,
    profile: v.nullish(v.object({ display_name: text, real_name: text })),
  }),
});

/** Looks names up, each once. Without the right to (`users:read` is optional) it asks only once at all. */
export function nameFinder({ call }: Pick<SlackDeps, 'call'>): NameOf {
  const known = new Map<string, Promise<string>>();
  let denied = false;
  const ask = async (user: string): Promise<string> => {
    const { user: found } = v.parse(info, await call('users.info', { user }));
    const { profile } = found;
    const name = profile?.display_name || profile?.real_name || found.real_name || found.name;
    return name || `<@${user}>`;
  };
  return (user) => {
    if (denied) return Promise.resolve(`<@${user}>`);
    const before = known.get(user);
    if (before) return before;
    const name = ask(user).catch((error: unknown) => {
      if (error instanceof SlackApiError && error.code === 'missing_scope') denied = true;
      known.delete(user);
      return `<@${user}>`;
    });
    if (known.size >= MAX) known.clear();
    known.set(user, name);
    return name;
  };
}
