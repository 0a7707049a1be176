import type { MessageId, Turn, TurnRef } from '../conversation/index.ts';
import { ThreadGone } from '../platforms/platform.ts';
import { footerOf } from './footer.ts';
import { leftoversOf } from './leftovers.ts';
import { localeOfTurn } from './locale.ts';
import type { Deps } from './ports.ts';
import { underOf } from './under.ts';

/** Makes the visible answer equal the stored one, and one. Resolves with whether it is certain that there is one. */
export async function showOnce(
  turn: TurnRef,
  { question, ending }: Pick<Turn, 'question' | 'ending'>,
  posted: readonly MessageId[],
  deps: Pick<Deps, 'platform' | 'marks' | 'settings'> & Partial<Pick<Deps, 'price'>>,
): Promise<boolean> {
  const { platform, settings } = deps;
  const speaking = localeOfTurn(turn, deps);
  const { messages, unsearched } = await leftoversOf(turn, deps);
  const existing = [...new Set([...posted, ...messages])].toSorted();
  const locale = await speaking;
  const footer = await footerOf(ending, locale, deps);
  try {
    const reply = platform.reply(turn, existing, { question, locale: speaking });
    // An earlier worker may have left its sign of work standing.
    await reply.halt();
    await reply.finish(ending.text, underOf(ending, [], settings, locale, footer));
  } catch (error) {
    if (!(error instanceof ThreadGone)) throw error;
  }
  return !unsearched;
}
