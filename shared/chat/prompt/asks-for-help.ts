import { isDirectMessage, isIntegration, type Turn, type TurnRef } from '../../domain/index.ts';
import { helpLabel } from '../../i18n/index.ts';
import { messageSentAt } from '../../utils/index.ts';

/** The names of the command `help` in all languages. */
const HELP_WORDS: ReadonlySet<string> = new Set(Object.values<string>(helpLabel));

/** A direct chat can be one conversation without an end: there, an answer that is older than this (ms) gives a word no other meaning. */
const CONVERSATION_MS = 3_600_000;

/** What stands around a word: `/help`, `!help`, `Help?`. */
const MARKS = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

/** What decides whether a word has another meaning. */
export type PossibleHelpRequest = {
  readonly question: string;
  /** Absent for a question that is answered again. */
  readonly receivedAt?: number | undefined;
  readonly attachments: readonly unknown[];
  readonly mergedQuestions: readonly unknown[];
  readonly contextLines?: readonly unknown[] | undefined;
  /** Set if there are earlier messages that could not be read. */
  readonly unread?: unknown;
  readonly past: { readonly turns: readonly Pick<Turn, 'message' | 'outcome'>[] };
};

/**
 * Whether a question is nothing but the name of the command `help` in any language: the asker wants to know how to use the bot. False for
 * a program, for a question that is answered again, and where something else gives the word a meaning: earlier messages, files, an answer
 * before it.
 */
export function asksForHelp(
  { thread, asker }: TurnRef,
  {
    question,
    receivedAt,
    attachments,
    mergedQuestions,
    contextLines = [],
    unread,
    past,
  }: PossibleHelpRequest,
  nowMs: number,
): boolean {
  if (!HELP_WORDS.has(question.normalize('NFKC').toLowerCase().replaceAll(MARKS, ''))) return false;
  if (receivedAt === undefined || unread !== undefined || isIntegration(asker)) return false;
  if ([attachments, mergedQuestions, contextLines].some((some) => some.length > 0)) return false;
  const last = past.turns.findLast(({ outcome }) => outcome.kind === 'answered');
  return (
    last === undefined ||
    (isDirectMessage(thread) && nowMs - messageSentAt(last.message) * 1_000 > CONVERSATION_MS)
  );
}
