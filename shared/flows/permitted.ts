import type { ChannelId, Thread, UserId } from '../conversation/index.ts';
import type { Standing } from '../platforms/platform.ts';
import { isRestricted, type Layers, mayUse, type Refusal } from '../settings/index.ts';
import type { Deps } from './ports.ts';

type Place = Pick<Thread, 'platform' | 'workspace'> & { readonly channel?: ChannelId | undefined };

/**
 * Why a person may not use the bot at a place; undefined where they may. `told` is what the platform said along with a
 * call: what it did not say is looked up, and only where anybody is kept out.
 */
export async function refusalAt(
  place: Place,
  user: UserId,
  layers: Layers,
  { standing }: Pick<Deps, 'standing'>,
  told?: Standing,
): Promise<Refusal | undefined> {
  if (!isRestricted(layers)) return undefined;
  const { admin, roles } = told ?? (await standing?.(place, user)) ?? { admin: false, roles: [] };
  return mayUse({ user, roles, channel: place.channel, admin }, layers);
}
