import { type Ending, type Folded, isPicture, type RedoTask, type Turn } from '../conversation/index.ts';
import type { HeldClaim } from './claimed.ts';
import { askedWith } from './folded.ts';
import { openFence } from './draft.ts';
import { aside, withoutNotice } from './notices.ts';

/** What a turn asks once a wish is granted. */
export type Wanted = Omit<Turn, 'ending'> & { readonly folded: readonly Folded[] };

/** Whether nothing but the removal of a question is wished for. */
export const takesOut = ({ how }: RedoTask): boolean =>
  how.kind === 'edited' && how.question === '' && how.attachments.length === 0;

/** Whether the wish is about a question that was merged into somebody's turn, not about the first one of it. */
export const isOfMerged = ({ how, message }: RedoTask): boolean =>
  how.kind === 'edited' && how.of !== message;

/** What the turn asks once the wish is granted; undefined if nothing is left of it. */
export function wantedTurn({ message, how, by }: RedoTask, { ended, asker }: HeldClaim): Wanted | undefined {
  const { question = '', folded = [], contextLines, isBeforeUnread, pictures } = ended ?? {};
  const known = { message, contextLines, isBeforeUnread };
  if (how.kind !== 'edited') return { ...known, question, folded, pictures };
  if (how.of === message) {
    const empty = how.question === '' && how.attachments.length === 0 && folded.length === 0;
    const files = how.attachments.filter(isPicture);
    return empty ? undefined : { ...known, question: how.question, folded, pictures: files };
  }
  const others = folded
    .map((one) => (one.message === how.of ? { ...one, question: askedWith(asker, by, how.question) } : one))
    .filter((one) => one.question !== '');
  return question === '' && others.length === 0
    ? undefined
    : { ...known, question, folded: others, pictures };
}

/** How the wish has it answered. */
export function mannerOf({ how }: RedoTask, ending: Ending | undefined): { model?: string; prefix?: string } {
  if (how.kind === 'regenerate') return how.model === undefined ? {} : { model: how.model };
  return how.kind === 'continue' && ending?.kind === 'answered' ? { prefix: withoutNotice(ending) } : {};
}

/**
 * Of a new ending and the one before, the one that is kept. A request that fails never costs the answer that was there. One
 * that breaks off does not where the same question is answered anew; a continuation keeps what it added. Nor
 * does one that is stopped before its first word.
 */
export function keptEnding(ending: Ending, before: Ending | undefined, { kind }: RedoTask['how']): Ending {
  if (before?.kind !== 'answered') return ending;
  const isWorse = kind === 'regenerate' && isInterrupted(ending) && !isInterrupted(before);
  return ending.kind === 'failed' || isWorse || isStoppedBefore(ending) ? before : ending;
}

/** An answer that stays, with the reason for that under it, in place of what the bot said there before. A sentence that failed is left as it is. */
export function withNotice(ending: Ending, why: string): Ending {
  if (ending.kind !== 'answered') return ending;
  const words = withoutNotice(ending);
  const end = `${openFence(words)}\n\n${why.startsWith('_') ? why : asides(why)}`;
  return { ...ending, text: words + end, closing: end.length };
}

/** It was stopped before anything of it had come. */
export const isStoppedBefore = (ending: Ending): boolean =>
  ending.kind === 'answered' && ending.finish === 'stopped' && withoutNotice(ending).trim() === '';

/** Each paragraph by itself: an emphasis ends with its paragraph. */
const asides = (words: string): string => words.split('\n\n').map(aside).join('\n\n');

const isInterrupted = (ending: Ending): boolean =>
  ending.kind === 'answered' && ending.finish === 'interrupted';
