import * as v from 'valibot';
import type { Attachment, MessageId, UserId } from '../../domain/index.ts';

/** The transcript of one chunk of a recording. Times are ms from the start of the recording. */
export type StoredChunk = {
  readonly n: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly text: string;
  readonly words: readonly { readonly fromMs: number; readonly toMs: number; readonly text: string }[];
  /** The translation, if one was requested with the transcript. */
  readonly translation?: string | undefined;
  readonly language?: string | undefined;
};

/** A transcribed recording. Its text is in its chunks. */
export type StoredRecording = {
  readonly by: UserId;
  readonly ms: number;
  readonly chunkCount: number;
  /**
   * Why the transcript is incomplete: `stopped` by a person (then it can be resumed), or the fault of the
   * recording.
   */
  readonly partial?: string | undefined;
  /** The message with the transcript. */
  readonly card: MessageId;
  /** The file, for playing it again. */
  readonly source: Attachment;
};

/** A translation that was spoken in the thread. */
export type SpokenTranslation = {
  /** The first message with its sound. */
  readonly message: MessageId;
  /** How much of the recording it has, in ms; undefined for all. */
  readonly maxMs?: number | undefined;
};

/** The stored items of a recording. */
const text = v.object({ S: v.string() });
const number = v.object({ N: v.string() });
export const bytesShape = v.object({ B: v.instance(Uint8Array) });
export const recordingShape = v.object({
  by: text,
  ms: number,
  n: number,
  card: text,
  partial: v.optional(text),
  source: text,
});
const word = v.object({ fromMs: v.number(), toMs: v.number(), text: v.string() });
export const chunkShape = v.object({
  n: v.number(),
  fromMs: v.number(),
  toMs: v.number(),
  text: v.string(),
  words: v.optional(v.array(word), []),
  translation: v.optional(v.string()),
  language: v.optional(v.string()),
});
export const ttlShape = v.object({ ttl: number });
export const spokenShape = v.object({ at: text, ms: v.optional(number) });
