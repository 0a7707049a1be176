import {
  type TurnOutcome,
  type MergedQuestion,
  isPicture,
  type RegenerateTask,
  type Turn,
} from '../../domain/index.ts';
import type { HeldClaim } from '../access/with-claim.ts';
import { questionWithMerged } from './merged-questions.ts';
import { openFence } from '../display/answer-buffer.ts';
import { italicNotice, withoutNotice } from '../display/notices.ts';

/** What a turn asks once a wish is granted. */
export type RegenerateRequest = Omit<Turn, 'ending'> & { readonly folded: readonly MergedQuestion[] };

/** Whether nothing but the removal of a question is wished for. */
export const removesQuestion = ({ how }: RegenerateTask): boolean =>
  how.kind === 'edited' && how.question === '' && how.attachments.length === 0;

/** Whether the wish is about a question that was merged into somebody's turn, not about the first one of it. */
export const isAboutMergedQuestion = ({ how, message }: RegenerateTask): boolean =>
  how.kind === 'edited' && how.of !== message;

/** What the turn asks once the wish is granted; undefined if nothing is left of it. */
export function requestedTurn(
  { message, how, by }: RegenerateTask,
  { ended, asker }: HeldClaim,
): RegenerateRequest | undefined {
  const { question = '', folded = [], contextLines, isBeforeUnread, pictures } = ended ?? {};
  const known = { message, contextLines, isBeforeUnread };
  if (how.kind !== 'edited') return { ...known, question, folded, pictures };
  if (how.of === message) {
    const empty = how.question === '' && how.attachments.length === 0 && folded.length === 0;
    const files = how.attachments.filter(isPicture);
    return empty ? undefined : { ...known, question: how.question, folded, pictures: files };
  }
  const others = folded
    .map((one) =>
      one.message === how.of ? { ...one, question: questionWithMerged(asker, by, how.question) } : one,
    )
    .filter((one) => one.question !== '');
  return question === '' && others.length === 0
    ? undefined
    : { ...known, question, folded: others, pictures };
}

/** How the wish has it answered. */
export function regenerationMode(
  { how }: RegenerateTask,
  ending: TurnOutcome | undefined,
): { model?: string; prefix?: string } {
  if (how.kind === 'regenerate') return how.model === undefined ? {} : { model: how.model };
  return how.kind === 'continue' && ending?.kind === 'answered' ? { prefix: withoutNotice(ending) } : {};
}

/**
 * Of a new ending and the one before, the one that is kept. A request that fails never costs the answer that was there. One
 * that breaks off does not where the same question is answered anew; a continuation keeps what it added. Nor
 * does one that is stopped before its first word.
 */
export function keptOutcome(
  ending: TurnOutcome,
  before: TurnOutcome | undefined,
  { kind }: RegenerateTask['how'],
): TurnOutcome {
  if (before?.kind !== 'answered') return ending;
  const isWorse = kind === 'regenerate' && isInterrupted(ending) && !isInterrupted(before);
  return ending.kind === 'failed' || isWorse || isStoppedBefore(ending) ? before : ending;
}

/** An answer that stays, with the reason for that under it, in place of what the bot said there before. A sentence that failed is left as it is. */
export function withNotice(ending: TurnOutcome, why: string): TurnOutcome {
  if (ending.kind !== 'answered') return ending;
  const words = withoutNotice(ending);
  const end = `${openFence(words)}\n\n${why.startsWith('_') ? why : italicParagraphs(why)}`;
  return { ...ending, text: words + end, closing: end.length };
}

/** It was stopped before anything of it had come. */
export const isStoppedBefore = (ending: TurnOutcome): boolean =>
  ending.kind === 'answered' && ending.finish === 'stopped' && withoutNotice(ending).trim() === '';

/** Each paragraph by itself: an emphasis ends with its paragraph. */
const italicParagraphs = (words: string): string => words.split('\n\n').map(italicNotice).join('\n\n');

const isInterrupted = (ending: TurnOutcome): boolean =>
  ending.kind === 'answered' && ending.finish === 'interrupted';
