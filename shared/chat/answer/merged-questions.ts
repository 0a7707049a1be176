import type { ChatContext } from '../context.ts';
import type { MessageId, TurnRef } from '../../domain/index.ts';
import type { ThreadHistory } from '../../storage/index.ts';

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
