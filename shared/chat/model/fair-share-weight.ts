import type { ChatContext } from '../context.ts';
import type { Thread, UserId } from '../../domain/index.ts';
import { maxWeight } from '../../rate-limits/index.ts';
import { getListIds, resolve } from '../../settings/rules/index.ts';

/**
 * Returns the fair-share weight of a person from the settings. Reads roles and groups only if the setting
 * lists anyone; unreadable roles count as none.
 */
export async function fairShareWeight(
  home: Pick<Thread, 'platform' | 'workspace'>,
  user: UserId,
  { settings, memberRoles }: Pick<ChatContext, 'settings' | 'memberRoles'>,
): Promise<number> {
  const favoured = resolve('favoured', settings.layers).value ?? [];
  if (favoured.length === 0) return 1;
  const { roles } = (await memberRoles?.(home, user).catch(() => undefined)) ?? { roles: [] };
  return maxWeight(favoured, getListIds(user, roles));
}
