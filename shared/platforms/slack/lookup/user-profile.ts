import * as v from 'valibot';
import type { WorkspaceId } from '../../../domain/index.ts';
import type { UserProfile } from '../../ports/index.ts';
import { TtlCache } from '../../../utils/index.ts';
import type { SlackDeps } from '../deps.ts';
import { SlackApiError } from '../api/call.ts';
import { isOrganization } from '../api/payload-fields.ts';
import { isReadForbidden } from '../api/read-forbidden.ts';

const CACHE_TTL_MS = 5 * 60_000;

/** Of a workspace, in the person itself; of the organization, in `enterprise_user`. Source: docs.slack.dev/reference/objects/user-object. */
const roles = { is_admin: v.nullish(v.boolean()), is_owner: v.nullish(v.boolean()) };

const userInfoResponse = v.object({
  user: v.object({
    locale: v.nullish(v.string()),
    tz: v.nullish(v.string()),
    ...roles,
    team_id: v.nullish(v.string()),
    /** Deactivated: in Slack, nobody who wrote something is ever removed. */
    deleted: v.nullish(v.boolean()),
    /** A guest, of one channel or of several. */
    is_restricted: v.nullish(v.boolean()),
    enterprise_user: v.nullish(
      v.object({
        enterprise_id: v.nullish(v.string()),
        ...roles,
        teams: v.optional(v.array(v.string()), []),
      }),
    ),
  }),
});

/**
 * `teams`: the workspaces of the organization that the person is in, or their only workspace. `hasLeft`: their account is deactivated, or the
 * workspace does not know them any more. `isGuest`: they may read only the channels that they were added to. `isStranger`: they are of another
 * company, which shares channels.
 */
export type SlackUserProfile = UserProfile & {
  readonly teams?: readonly string[];
  readonly hasLeft?: boolean;
  readonly isGuest?: boolean;
  readonly isStranger?: boolean;
};

type ProfileDeps = Pick<SlackDeps, 'call' | 'time'> & { readonly workspace?: WorkspaceId | undefined };
type FindProfile = (user: string) => Promise<SlackUserProfile>;

/** The same as `userProfileReader`, but empty where that rejects: for what can do without. */
export const userProfileFinder = (deps: ProfileDeps): FindProfile => emptyOnFailure(userProfileReader(deps));

/** Makes a lookup never reject. */
export const emptyOnFailure =
  (read: FindProfile): FindProfile =>
  (user) =>
    read(user).catch((): SlackUserProfile => ({}));

/**
 * Looks up the profile of a person, and caches it for five minutes; empty if the app may not read it. A person of another company in a
 * shared channel is no administrator of `workspace`, even if they are one in their own. Where `workspace` is an organization, only its own
 * administrators and owners are: anyone may administer one of its workspaces. Rejects if Slack does not respond.
 */
export function userProfileReader({ call, time, workspace }: ProfileDeps): FindProfile {
  const request = async (user: string): Promise<SlackUserProfile> => {
    const known = v.parse(userInfoResponse, await call('users.info', { user, include_locale: true })).user;
    const {
      locale,
      tz: zone,
      team_id: team,
      deleted,
      is_restricted: isGuest,
      enterprise_user: enterpriseUser,
    } = known;
    const teams = enterpriseUser?.teams ?? (team ? [team] : []);
    const isOfWorkspace =
      workspace !== undefined && [team, enterpriseUser?.enterprise_id, ...teams].includes(workspace);
    const { is_admin: admin, is_owner: owner } =
      workspace !== undefined && isOrganization(workspace) ? (enterpriseUser ?? {}) : known;
    return {
      locale: locale ?? undefined,
      zone: zone ?? undefined,
      admin: isOfWorkspace && (admin === true || owner === true),
      teams,
      ...(deleted === true && { hasLeft: true }),
      ...(isGuest === true && { isGuest }),
      ...(workspace !== undefined && !isOfWorkspace && { isStranger: true }),
    };
  };
  const known = async (user: string): Promise<SlackUserProfile> => {
    try {
      return await request(user);
    } catch (error) {
      const code = error instanceof SlackApiError ? error.code : undefined;
      if (isReadForbidden(error)) return {};
      // Of another company: people of the workspace are visible to every app.
      if (code === 'user_not_visible') return { isStranger: true };
      if (code === 'user_not_found') return { hasLeft: true };
      throw error;
    }
  };
  const people = new TtlCache<SlackUserProfile>({ now: time.now, ttlMs: CACHE_TTL_MS });
  // Failures are not cached.
  return (user) => people.get(user, known);
}
