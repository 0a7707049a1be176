import type { ChatContext } from '../context.ts';
import type { MessageId, TurnRef } from '../../domain/index.ts';

export type OrphanedMessagesOf = {
  readonly messages: readonly MessageId[];
  /** The platform could not be asked now: there may be some. */
  readonly unsearched: boolean;
};

/**
 * The messages that dead workers left of this turn's answer, oldest first: what the platform ties to the turn, and what it ties to
 * none, unless that may belong to another question of the thread. In doubt a message is kept.
 */
export async function findOrphanedMessages(
  turn: TurnRef,
  { platform, signals }: Pick<ChatContext, 'platform' | 'signals'>,
): Promise<OrphanedMessagesOf> {
  const { own, untied, unsearched = false } = await platform.findOrphanedMessages(turn);
  if (own.length + untied.length === 0) return { messages: [], unsearched };
  const { posted, unsettled } = await signals.otherAnswers(turn);
  const others = new Set(posted);
  // An answer stands behind its question.
  const certain = untied.filter((id) => !unsettled.some((question) => question < id));
  return { messages: [...own, ...certain].filter((id) => !others.has(id)).toSorted(), unsearched };
}
