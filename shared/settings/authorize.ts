import type { ChannelId, Thread, UserId } from '../domain/index.ts';
import type { FindMemberRoles, MemberRoles } from '../platforms/ports/index.ts';
import { type AccessRefusal, isRestricted, mayUseBot, type SettingsLayers } from './rules/index.ts';

type AccessPlace = Pick<Thread, 'platform' | 'workspace'> & {
  readonly channel?: ChannelId | undefined;
};

/**
 * Returns why a person may not use the bot in a channel; undefined if they may. `knownRoles` are those that the platform
 * sent with an interaction. If absent, they are looked up, but only if access is restricted at all.
 */
export async function findAccessRefusal(
  place: AccessPlace,
  user: UserId,
  layers: SettingsLayers,
  { memberRoles }: { readonly memberRoles: FindMemberRoles },
  knownRoles?: MemberRoles,
): Promise<AccessRefusal | undefined> {
  if (!isRestricted(layers)) return undefined;
  const { admin, roles } = knownRoles ?? (await memberRoles(place, user));
  return mayUseBot({ user, roles, channel: place.channel, admin }, layers);
}
