import * as v from 'valibot';
import type { Attachment, MessageId, UserId } from '../../domain/index.ts';

/** What was heard in one piece of a recording. Times are ms from the beginning of the whole. */
export type StoredPiece = {
  readonly n: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly text: string;
  readonly words: readonly { readonly fromMs: number; readonly toMs: number; readonly text: string }[];
  /** In the language that was asked for along. */
  readonly translation?: string | undefined;
  readonly language?: string | undefined;
};

/** A recording that has been written out. The text lies in its pieces. */
export type StoredRecording = {
  readonly by: UserId;
  readonly ms: number;
  readonly pieces: number;
  /** Why this is not all of it: `stopped` by a person, then it can be gone on with; else what is wrong with it. */
  readonly partial?: string | undefined;
  /** The message with the words. */
  readonly card: MessageId;
  /** The file itself, to be listened to once more. */
  readonly source: Attachment;
};

/** The items of a recording as they lie in the table. */
const text = v.object({ S: v.string() });
const number = v.object({ N: v.string() });
export const bytesShape = v.object({ B: v.instance(Uint8Array) });
export const wholeShape = v.object({
  by: text,
  ms: number,
  n: number,
  card: text,
  partial: v.optional(text),
  source: text,
});
const word = v.object({ fromMs: v.number(), toMs: v.number(), text: v.string() });
export const pieceShape = v.object({
  n: v.number(),
  fromMs: v.number(),
  toMs: v.number(),
  text: v.string(),
  words: v.optional(v.array(word), []),
  translation: v.optional(v.string()),
  language: v.optional(v.string()),
});
export const aliveShape = v.object({ ttl: number });
export const placeShape = v.object({ at: text });
