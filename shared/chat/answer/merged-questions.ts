import type { ChatContext } from '../context.ts';
import type { MessageId, TurnRef } from '../../domain/index.ts';
import type { ThreadHistory } from '../../storage/index.ts';

/** The earlier turn that has answered this question along without getting as far as saying so on its record. */
export async function mergeQuestions(
  turn: TurnRef,
  past: ThreadHistory,
  { signals }: Pick<ChatContext, 'signals'>,
): Promise<MessageId | undefined> {
  const into = past.turns.find(({ folded = [] }) => folded.some(({ message }) => message === turn.message));
  if (into) await signals.markMerged(turn, into.message);
  return into?.message;
}

/** A question that is answered along with that of `first`, as the model is told it: who asked, if that is somebody else. */
export const questionWithMerged = (first: string, asker: string, question: string): string =>
  asker === first || question === '' ? question : `(another person, <@${asker}>:) ${question}`;
