import type { ChatContext } from '../context.ts';
import type { MessageId, TurnRef } from '../../domain/index.ts';
import type { ThreadHistory, PendingQuestion } from '../../storage/index.ts';
import { findRefusal } from '../../settings/index.ts';

/** Finds the earlier turn that already answered this question, and records the merge that a crash left out. */
export async function mergeQuestions(
  turn: TurnRef,
  past: ThreadHistory,
  { signals }: Pick<ChatContext, 'signals'>,
): Promise<MessageId | undefined> {
  const into = past.turns.find(({ folded = [] }) => folded.some(({ message }) => message === turn.message));
  if (into) await signals.markMerged(turn, into.message);
  return into?.message;
}

/** Formats a merged question for the model, with its asker if that is not `first`. */
export const questionWithMerged = (first: string, asker: string, question: string): string =>
  asker === first || question === '' ? question : `(another person, <@${asker}>:) ${question}`;

/**
 * Returns the waiting questions that may be answered in this turn, charged to its owner. A question of another person is
 * left to its own task if
 *
 * - the person may not use the bot here, or is blocked,
 * - the person has a budget of their own: charged to the owner, it would never be used up,
 * - the owner of the turn is refused: that refusal would be the answer for all.
 */
export async function canMerge(
  waiting: readonly PendingQuestion[],
  owner: TurnRef,
  context: Pick<ChatContext, 'settings' | 'memberRoles' | 'budgets'>,
): Promise<readonly PendingQuestion[]> {
  const others = [...new Set(waiting.map(({ turn }) => turn.asker))].filter((asker) => asker !== owner.asker);
  if (others.length === 0) return waiting;
  const { thread } = owner;
  const isOwnerRefused = (await context.budgets.findPersonalRefusal(thread, owner.asker)) !== undefined;
  const mayJoin = await Promise.all(
    others.map(async (asker) => {
      if (isOwnerRefused || (await findRefusal(thread, asker, context.settings.layers, context)))
        return false;
      return !(await context.budgets.mustPayAlone(thread, asker));
    }),
  );
  const joining = new Set(others.filter((_, index) => mayJoin[index]));
  return waiting.filter(({ turn: { asker } }) => asker === owner.asker || joining.has(asker));
}
