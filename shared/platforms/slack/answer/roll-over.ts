import { cutAt, paragraphCut, type TextLimit } from '../../markdown/index.ts';

/** Slack seals a stream after about five minutes without a word. A new message is begun well before. */
const STREAM_LIFE_MS = 240_000;
/** From here on the end of a paragraph is used for it. */
const STREAM_AGE_MS = 200_000;
/** From here on (a share of the limit) the end of a paragraph is used to begin a new message. */
const NEARLY_FULL = 0.85;

/** A message that is being written. */
export type GrowingMessage = {
  readonly text: string;
  /** Where in the text it begins, and how far people see it. */
  readonly from: number;
  readonly shown: number;
  readonly limit: TextLimit;
  /** What its task cards take of the limit. */
  readonly reserved: number;
  /** Of its stream; 0 for a message that is edited. */
  readonly ageMs: number;
};

/** Where a message has to end, if it is full or old enough. */
export function rollOver({ text, from, shown, limit, reserved, ageMs }: GrowingMessage): number | undefined {
  const cut = cutAt(text, from, limit, { atLeast: shown, reserved });
  if (cut < text.length) return cut;
  const nearlyFull = limit.unit.reach(text, from, (limit.max - reserved) * NEARLY_FULL);
  const paragraph = paragraphCut(text, from, Math.max(shown, ageMs >= STREAM_AGE_MS ? from + 1 : nearlyFull));
  if (paragraph !== undefined) return paragraph;
  if (ageMs < STREAM_LIFE_MS) return undefined;
  const word = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n')) + 1;
  return word > shown ? word : text.length;
}
