import type { ChannelId, Thread, UserId } from '../domain/index.ts';
import type { MemberRoles } from '../platforms/ports/platform.ts';
import { isRestricted, type SettingsLayers, mayUse, type PermissionRefusal } from './rules/index.ts';
import type { FindMemberRoles } from '../platforms/ports/people.ts';

type AuthorizationPlace = Pick<Thread, 'platform' | 'workspace'> & {
  readonly channel?: ChannelId | undefined;
};

/**
 * Why a person may not use the bot at a place; undefined where they may. `told` is what the platform said along with a
 * call: what it did not say is looked up, and only where anybody is kept out.
 */
export async function findRefusal(
  place: AuthorizationPlace,
  user: UserId,
  layers: SettingsLayers,
  { memberRoles }: { readonly memberRoles: FindMemberRoles },
  told?: MemberRoles,
): Promise<PermissionRefusal | undefined> {
  if (!isRestricted(layers)) return undefined;
  const { admin, roles } = told ?? (await memberRoles(place, user));
  return mayUse({ user, roles, channel: place.channel, admin }, layers);
}
