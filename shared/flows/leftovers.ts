import type { MessageId, TurnRef } from '../conversation/index.ts';
import type { Deps } from './ports.ts';

/**
 * The messages that dead workers left of this turn's answer, oldest first: what the platform ties to the turn, and what it ties to
 * none, unless that may belong to another question of the thread. In doubt a message is kept.
 */
export async function leftoversOf(
  turn: TurnRef,
  { platform, marks }: Pick<Deps, 'platform' | 'marks'>,
): Promise<MessageId[]> {
  const { own, untied } = await platform.leftovers(turn);
  if (own.length + untied.length === 0) return [];
  const { posted, unsettled } = await marks.beside(turn);
  const others = new Set(posted);
  // An answer stands behind its question.
  const certain = untied.filter((id) => !unsettled.some((question) => question < id));
  return [...own, ...certain].filter((id) => !others.has(id)).toSorted();
}
