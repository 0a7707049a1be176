import * as v from 'valibot';
import type { WorkspaceId } from '../../../domain/index.ts';
import type { UserProfile } from '../../ports/platform.ts';
import { TtlCache } from '../../../utils/ttl-cache.ts';
import type { SlackDeps } from '../deps.ts';
import { mayNotRead } from './may-not-read.ts';

const CACHE_TTL_MS = 5 * 60_000;

const info = v.object({
  user: v.object({
    locale: v.nullish(v.string()),
    tz: v.nullish(v.string()),
    is_admin: v.nullish(v.boolean()),
    is_owner: v.nullish(v.boolean()),
    team_id: v.nullish(v.string()),
    enterprise_user: v.nullish(
      v.object({ enterprise_id: v.nullish(v.string()), teams: v.optional(v.array(v.string()), []) }),
    ),
  }),
});

/** `teams`: the workspaces of an organisation that they are in, or the one. */
export type SlackPerson = UserProfile & { readonly teams?: readonly string[] };

/**
 * Looks up what Slack knows of a person, and keeps it for five minutes. Where that may not be read, nothing is known. Who
 * comes from elsewhere, by a channel shared between companies, administers nothing in `workspace`, whatever they are at home.
 */
export function personFinder({
  call,
  time,
  workspace,
}: Pick<SlackDeps, 'call' | 'time'> & { readonly workspace?: WorkspaceId | undefined }): (
  user: string,
) => Promise<SlackPerson> {
  const ask = async (user: string): Promise<SlackPerson> => {
    const known = v.parse(info, await call('users.info', { user, include_locale: true })).user;
    const {
      locale,
      tz: zone,
      is_admin: admin,
      is_owner: owner,
      team_id: team,
      enterprise_user: wide,
    } = known;
    const teams = wide?.teams ?? (team ? [team] : []);
    const ours = workspace !== undefined && [team, wide?.enterprise_id, ...teams].includes(workspace);
    return {
      locale: locale ?? undefined,
      zone: zone ?? undefined,
      admin: ours && (admin === true || owner === true),
      teams,
    };
  };
  const known = async (user: string): Promise<SlackPerson> => {
    try {
      return await ask(user);
    } catch (error) {
      if (mayNotRead(error)) return {};
      throw error;
    }
  };
  const people = new TtlCache<SlackPerson>({ now: time.now, ttlMs: CACHE_TTL_MS });
  // What failed for a moment is not remembered.
  return (user) => people.get(user, known).catch((): SlackPerson => ({}));
}
