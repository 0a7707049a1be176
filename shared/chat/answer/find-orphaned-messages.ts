import type { ChatContext } from '../context.ts';
import type { MessageId, TurnRef } from '../../domain/index.ts';

type FoundMessages = {
  readonly messages: readonly MessageId[];
  /** The platform could not be searched now: there may be more. */
  readonly isIncomplete: boolean;
};

/**
 * Returns the answer messages of dead workers, oldest first: those that the platform ties to this turn, and untied ones that
 * cannot belong to another question of the thread. In doubt a message is kept.
 */
export async function findOrphanedMessages(
  turn: TurnRef,
  { platform, signals }: Pick<ChatContext, 'platform' | 'signals'>,
): Promise<FoundMessages> {
  const { ofTurn, unattributed, isIncomplete = false } = await platform.findOrphanedMessages(turn);
  if (ofTurn.length + unattributed.length === 0) return { messages: [], isIncomplete };
  const { posted, unsettled } = await signals.otherAnswers(turn);
  const others = new Set(posted);
  // An answer is posted after its question.
  const certain = unattributed.filter((id) => !unsettled.some((question) => question < id));
  return {
    messages: [...ofTurn, ...certain].filter((id) => !others.has(id)).toSorted(),
    isIncomplete,
  };
}
