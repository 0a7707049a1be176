import type { ChatContext } from '../context.ts';
import type { TurnRef } from '../../domain/index.ts';
import type { PendingQuestion } from '../../storage/index.ts';
import { findRefusal } from '../../settings/authorize.ts';

/**
 * The questions of `waiting` that may be answered in this turn, on the account of whoever asked it. What other people
 * ask is left to its own task, which answers on their account or tells them why not, where
 *
 * - they may not use the bot here, or are blocked,
 * - a budget of their own binds them: on the account of somebody else it would never be used up,
 * - the owner of the turn is refused: their refusal would be the answer for all.
 */
export async function canMerge(
  waiting: readonly PendingQuestion[],
  owner: TurnRef,
  context: Pick<ChatContext, 'settings' | 'memberRoles' | 'budgets'>,
): Promise<readonly PendingQuestion[]> {
  const others = [...new Set(waiting.map(({ turn }) => turn.asker))].filter((one) => one !== owner.asker);
  if (others.length === 0) return waiting;
  const { thread } = owner;
  const isOwnerRefused = (await context.budgets.refusalOf(thread, owner.asker)) !== undefined;
  const mayJoin = await Promise.all(
    others.map(async (asker) => {
      if (isOwnerRefused || (await findRefusal(thread, asker, context.settings.layers, context)))
        return false;
      return !(await context.budgets.paysAlone(thread, asker));
    }),
  );
  const joining = new Set(others.filter((_, at) => mayJoin[at]));
  return waiting.filter(({ turn: { asker } }) => asker === owner.asker || joining.has(asker));
}
