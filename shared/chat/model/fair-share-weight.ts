import type { ChatContext } from '../context.ts';
import type { Thread, UserId } from '../../domain/index.ts';
import { maxWeight } from '../../rate-limits/index.ts';
import { idsOf, resolve } from '../../settings/rules/index.ts';

/**
 * How many times the usual share of a busy key this person has, as the workspace and the deployment want it. Their roles
 * and groups are looked up only where anybody but they themselves is favoured; where they cannot be, they count as none.
 */
export async function fairShareWeight(
  place: Pick<Thread, 'platform' | 'workspace'>,
  user: UserId,
  { settings, memberRoles: standing }: Pick<ChatContext, 'settings' | 'memberRoles'>,
): Promise<number> {
  const favoured = resolve('favoured', settings.layers).value ?? [];
  if (favoured.length === 0) return 1;
  const { roles } = (await standing?.(place, user).catch(() => undefined)) ?? { roles: [] };
  return maxWeight(favoured, idsOf(user, roles));
}
