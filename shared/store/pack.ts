import * as v from 'valibot';
import { messageId, type Turn } from '../conversation/index.ts';
import { packJson, unpackJson } from './packed.ts';

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
  before: v.optional(v.string()),
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

export type Words = Omit<Turn, 'message'>;

/** The words of a turn as bytes. */
export const pack = (said: Words): Uint8Array => packJson(said);

/** Throws when the bytes are not a packed turn: an item written by something else. */
export const unpack = (bytes: Uint8Array): Words => v.parse(words, unpackJson(bytes));
