import * as v from 'valibot';
import { MAX_TURN_BYTES, messageId, type Turn, userId } from '../../domain/index.ts';
import { compress, jsonOf, unpackJson } from './gzip-json.ts';

const usage = v.object({
  promptTokens: v.number(),
  completionTokens: v.number(),
  reasoningTokens: v.number(),
  cachedTokens: v.number(),
});

const number = v.number();
const course = v.optional(v.pipe(v.tuple([number, number, number, number, number, number]), v.readonly()));

const words = v.object({
  question: v.string(),
  folded: v.optional(
    v.array(v.object({ message: v.pipe(v.string(), v.transform(messageId)), question: v.string() })),
  ),
  pictures: v.optional(
    v.array(v.object({ id: v.string(), name: v.string(), mimetype: v.string(), bytes: v.number() })),
  ),
  // Versions before stored `before`, words without who said them. It is not read: nobody's words could be taken out of it.
  contextLines: v.optional(
    v.array(
      v.object({
        by: v.optional(v.pipe(v.string(), v.transform(userId))),
        author: v.string(),
        text: v.string(),
        at: v.number(),
      }),
    ),
  ),
  isBeforeUnread: v.optional(v.boolean()),
  ending: v.variant('kind', [
    v.object({
      kind: v.literal('answered'),
      text: v.string(),
      closing: v.optional(v.number()),
      finish: v.string(),
      model: v.string(),
      usage: v.optional(usage),
      requestId: v.optional(v.string()),
      weightVersion: v.optional(v.string()),
      course,
    }),
    v.object({ kind: v.literal('failed'), reason: v.string(), text: v.string(), course }),
  ]),
});

export type PackedTexts = Omit<Turn, 'message'>;

/** A turn has more than fits into its item. Nothing was written. */
export class TurnTooLargeError extends Error {
  override readonly name = 'TurnTooLargeError';
}

/** Whether DynamoDB refused an item for its size, by what it says: the error is the same for every malformed request. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationException' && /item size/iu.test(error.message);

/** The words of a turn as bytes. Throws TurnTooLargeError above `MAX_TURN_BYTES`. */
export function pack(said: PackedTexts): Uint8Array {
  const json = jsonOf(said);
  if (Buffer.byteLength(json) > MAX_TURN_BYTES) throw new TurnTooLargeError();
  return compress(json);
}

/** Throws when the bytes are not a packed turn: too much, damaged, or written by something else. */
export const unpack = (bytes: Uint8Array): PackedTexts => v.parse(words, unpackJson(bytes));

/** The words of a turn, or undefined where they cannot be read: such a turn counts as absent. */
export function readWords(bytes: Uint8Array): PackedTexts | undefined {
  try {
    return unpack(bytes);
  } catch {
    return undefined;
  }
}
