import type { MessageId, TurnRef } from '../conversation/index.ts';
import type { Deps } from './ports.ts';

/**
 * The messages that dead workers left of this turn's answer. A stream that nobody stopped carries no mark; one that is
 * on record for another question of the thread is not this one's.
 */
export async function leftoversOf(
  turn: TurnRef,
  { platform, marks }: Pick<Deps, 'platform' | 'marks'>,
): Promise<MessageId[]> {
  const found = await platform.leftovers(turn);
  if (found.length === 0) return found;
  const others = await marks.begunBeside(turn);
  return found.filter((id) => !others.includes(id));
}
