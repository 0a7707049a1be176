import type { MessageId, Turn, TurnRef } from '../conversation/index.ts';
import { ThreadGone } from '../platforms/platform.ts';
import { footerOf } from './footer.ts';
import { leftoversOf } from './leftovers.ts';
import type { Deps } from './ports.ts';
import { underOf } from './under.ts';

/** Makes the visible answer equal the stored one, and one. */
export async function showOnce(
  turn: TurnRef,
  { question, ending }: Pick<Turn, 'question' | 'ending'>,
  posted: readonly MessageId[],
  deps: Pick<Deps, 'platform' | 'marks' | 'settings'> & Partial<Pick<Deps, 'chat'>>,
): Promise<void> {
  const { platform, settings, chat } = deps;
  const found = await leftoversOf(turn, deps);
  const existing = [...new Set([...posted, ...found])].toSorted();
  const footer = await footerOf(ending, { settings, chat });
  try {
    await platform.reply(turn, existing, question).finish(ending.text, underOf(ending, footer, settings));
  } catch (error) {
    if (!(error instanceof ThreadGone)) throw error;
  }
}
