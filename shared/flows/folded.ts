import type { MessageId, TurnRef } from '../conversation/index.ts';
import type { Past } from '../store/index.ts';
import type { Deps } from './ports.ts';

/** The earlier turn that has answered this question along without getting as far as saying so on its record. */
export async function foldedInto(
  turn: TurnRef,
  past: Past,
  { marks }: Pick<Deps, 'marks'>,
): Promise<MessageId | undefined> {
  const into = past.turns.find(({ folded = [] }) => folded.some(({ message }) => message === turn.message));
  if (into) await marks.fold(turn, into.message);
  return into?.message;
}

/** A question that is answered along with that of `first`, as the model is told it: who asked, if that is somebody else. */
export const askedWith = (first: string, asker: string, question: string): string =>
  asker === first || question === '' ? question : `(another person, <@${asker}>:) ${question}`;
