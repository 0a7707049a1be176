import type { Thread, UserId } from '../conversation/index.ts';
import { heaviest } from '../limits/index.ts';
import { idsOf, resolve } from '../settings/index.ts';
import type { Deps } from './ports.ts';

/**
 * How many times the usual share of a busy key this person has, as the workspace and the deployment want it. Their roles
 * and groups are looked up only where anybody but they themselves is favoured; where they cannot be, they count as none.
 */
export async function weightAt(
  place: Pick<Thread, 'platform' | 'workspace'>,
  user: UserId,
  { settings, standing }: Pick<Deps, 'settings' | 'standing'>,
): Promise<number> {
  const favoured = resolve('favoured', settings.layers).value ?? [];
  if (favoured.length === 0) return 1;
  const { roles } = (await standing?.(place, user).catch(() => undefined)) ?? { roles: [] };
  return heaviest(favoured, idsOf(user, roles));
}
