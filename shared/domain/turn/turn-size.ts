import type { Turn } from './turn.ts';

/**
 * The maximum size of a turn as JSON before compression: 360,000 bytes. DynamoDB allows 400 KB (409,600 bytes)
 * per item, so even text that does not compress fits, with the other attributes beside it.
 */
export const MAX_TURN_BYTES = 360_000;
/** Reserved for the outcome: the model, its usage, and the bot's closing sentence. */
const OUTCOME_BYTES = 4_096;
/** The maximum size of a question with its files, so that an answer fits beside it. */
const MAX_QUESTION_BYTES = 200_000;
/** An answer with less space than this is not requested. */
const MIN_ANSWER_BYTES = 8_192;

/**
 * Returns the size of a text as JSON in UTF-8, without quotes. Counts slightly too much for characters beyond
 * U+FFFF.
 */
export function jsonBytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) bytes += codeUnitBytes(text.charCodeAt(i));
  return bytes;
}

/** Returns the start of a text with at most `max` bytes as JSON. Never splits a character. */
export function truncateToJsonBytes(text: string, max: number): string {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    bytes += codeUnitBytes(text.charCodeAt(i));
    if (bytes > max)
      return text
        .slice(0, i)
        .toWellFormed()
        .replace(/\uFFFD$/u, '');
  }
  return text;
}

function codeUnitBytes(unit: number): number {
  // A control character and a lone surrogate may become a six-byte escape; each half of a pair takes two bytes.
  if (unit < 0x20) return 6;
  if (unit === 0x22 || unit === 0x5c) return 2;
  if (unit < 0x80) return 1;
  if (unit < 0x8_00) return 2;
  return unit >= 0xd8_00 && unit <= 0xdf_ff ? 6 : 3;
}

/** A turn without its answer. */
export type UnansweredTurn = Pick<Turn, 'question' | 'folded' | 'contextLines' | 'pictures'>;

/** Returns the maximum size of the answer of a turn as JSON; always enough for a short answer. */
export function maxAnswerBytes(turn: UnansweredTurn): number {
  const questionBytes = Math.min(jsonBytes(turn.question), MAX_QUESTION_BYTES);
  const { folded, contextLines, pictures } = turn;
  const otherBytes = new TextEncoder().encode(JSON.stringify({ folded, contextLines, pictures })).length;
  return Math.max(MIN_ANSWER_BYTES, MAX_TURN_BYTES - OUTCOME_BYTES - questionBytes - otherBytes);
}

/** Whether there is space to continue an answer. */
export const canContinueAnswer = (turn: UnansweredTurn, answer: string): boolean =>
  maxAnswerBytes(turn) - jsonBytes(answer) >= MIN_ANSWER_BYTES;

/** Truncates a question to the size that can be stored. */
export const truncateQuestion = (questionBytes: string): string =>
  truncateToJsonBytes(questionBytes, MAX_QUESTION_BYTES);
