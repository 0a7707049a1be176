import type { ChatContext } from '../context.ts';
import type { Thread, UserId } from '../../domain/index.ts';
import { maxWeight } from '../../rate-limits/index.ts';
import { idsOf, resolve } from '../../settings/rules/index.ts';

/**
 * Returns the person's multiple of the usual share of a busy key, from the settings. Roles and groups are read only if
 * anybody is favoured; unreadable roles count as none.
 */
export async function fairShareWeight(
  place: Pick<Thread, 'platform' | 'workspace'>,
  user: UserId,
  { settings, memberRoles }: Pick<ChatContext, 'settings' | 'memberRoles'>,
): Promise<number> {
  const favoured = resolve('favoured', settings.layers).value ?? [];
  if (favoured.length === 0) return 1;
  const { roles } = (await memberRoles?.(place, user).catch(() => undefined)) ?? { roles: [] };
  return maxWeight(favoured, idsOf(user, roles));
}
