import type { Turn } from './turn.ts';

/**
 * How many bytes of JSON a turn has at most, before it is compressed: 360,000. DynamoDB takes items of 400 KB (409,600 bytes), and
 * whatever does not compress then still fits, with the rest of its item beside it.
 */
export const MAX_TURN_BYTES = 360_000;
/** Kept free of the answer for how it ended: the model, its usage, the bot's last sentence. */
const ENDING_BYTES = 4_096;
/** A question with its files has at most this many bytes in a turn, so that an answer fits beside it. */
const MAX_QUESTION_BYTES = 200_000;
/** An answer with less room than this is not worth being asked for. */
const MIN_ROOM_BYTES = 8_192;

/** How many bytes a text is as JSON in UTF-8, without its quotes; a little more for characters beyond U+FFFF. */
export function jsonBytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) bytes += bytesOf(text.charCodeAt(i));
  return bytes;
}

/** The beginning of a text that has at most `max` bytes as JSON. No character is cut in two. */
export function startWithin(text: string, max: number): string {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    bytes += bytesOf(text.charCodeAt(i));
    if (bytes > max)
      return text
        .slice(0, i)
        .toWellFormed()
        .replace(/\uFFFD$/u, '');
  }
  return text;
}

function bytesOf(unit: number): number {
  // Control characters may be six as an escape, as may a surrogate that stands alone; each of a pair is two.
  if (unit < 0x20) return 6;
  if (unit === 0x22 || unit === 0x5c) return 2;
  if (unit < 0x80) return 1;
  if (unit < 0x8_00) return 2;
  return unit >= 0xd8_00 && unit <= 0xdf_ff ? 6 : 3;
}

/** What a turn holds beside its answer. */
export type UnansweredTurn = Pick<Turn, 'question' | 'folded' | 'contextLines' | 'pictures'>;

/** How many bytes of JSON the answer of a turn may have, at least enough to say something. */
export function answerBytes(asked: UnansweredTurn): number {
  const question = Math.min(jsonBytes(asked.question), MAX_QUESTION_BYTES);
  const { folded, contextLines, pictures } = asked;
  const beside = new TextEncoder().encode(JSON.stringify({ folded, contextLines, pictures })).length;
  return Math.max(MIN_ROOM_BYTES, MAX_TURN_BYTES - ENDING_BYTES - question - beside);
}

/** Whether an answer has room to be gone on with. */
export const hasRoom = (turn: UnansweredTurn, answer: string): boolean =>
  answerBytes(turn) - jsonBytes(answer) >= MIN_ROOM_BYTES;

/** A question as it is stored: a longer one is cut, since its turn could not be kept. */
export const storedQuestion = (question: string): string => startWithin(question, MAX_QUESTION_BYTES);
