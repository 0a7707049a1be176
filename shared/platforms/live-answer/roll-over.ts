import { cutAt, paragraphCut, type TextLimit } from '../markdown/index.ts';

/** Slack closes a stream after about five minutes without words. A new message is begun well before. */
const MAX_STREAM_AGE_MS = 240_000;
/** From this age on, the stream ends at the next end of a paragraph. */
const PARAGRAPH_FROM_AGE_MS = 200_000;
/** From this share of the limit on, the stream ends at the next end of a paragraph. */
const PARAGRAPH_FROM_SHARE = 0.85;

/** A native stream that is being written. */
export type GrowingStream = {
  readonly text: string;
  /** Offset in the text at which the stream begins. */
  readonly from: number;
  /** Offset up to which people see the text: appended words cannot be taken back. */
  readonly shown: number;
  readonly limit: TextLimit;
  /** What its steps take of the limit. */
  readonly reserved: number;
  readonly ageMs: number;
};

/** The offset at which a stream has to end because it is full or old; undefined while it can grow. */
export function rollOver({ text, from, shown, limit, reserved, ageMs }: GrowingStream): number | undefined {
  const cut = cutAt(text, from, limit, { atLeast: shown, reserved });
  if (cut < text.length) return cut;
  const nearlyFull = limit.unit.reach(text, from, (limit.max - reserved) * PARAGRAPH_FROM_SHARE);
  const paragraphFrom = ageMs >= PARAGRAPH_FROM_AGE_MS ? from + 1 : nearlyFull;
  const paragraph = paragraphCut(text, from, Math.max(shown, paragraphFrom));
  if (paragraph !== undefined) return paragraph;
  if (ageMs < MAX_STREAM_AGE_MS) return undefined;
  const word = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n')) + 1;
  return word > shown ? word : text.length;
}
