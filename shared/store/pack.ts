import * as z from 'zod/mini';
import { messageId, type Turn } from '../conversation/index.ts';
import { packJson, unpackJson } from './packed.ts';

const usage = z.object({
  promptTokens: z.number(),
  completionTokens: z.number(),
  reasoningTokens: z.number(),
  cachedTokens: z.number(),
});

const number = z.number();
const course = z.optional(z.readonly(z.tuple([number, number, number, number, number, number])));

const words = z.object({
  question: z.string(),
  folded: z.optional(
    z.array(z.object({ message: z.pipe(z.string(), z.transform(messageId)), question: z.string() })),
  ),
  pictures: z.optional(
    z.array(z.object({ id: z.string(), name: z.string(), mimetype: z.string(), bytes: z.number() })),
  ),
  before: z.optional(z.string()),
  ending: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('answered'),
      text: z.string(),
      closing: z.optional(z.number()),
      finish: z.string(),
      model: z.string(),
      usage: z.optional(usage),
      requestId: z.optional(z.string()),
      weightVersion: z.optional(z.string()),
      course,
    }),
    z.object({ kind: z.literal('failed'), reason: z.string(), text: z.string(), course }),
  ]),
});

export type Words = Omit<Turn, 'message'>;

/** The words of a turn as bytes. */
export const pack = (said: Words): Uint8Array => packJson(said);

/** Throws when the bytes are not a packed turn: an item written by something else. */
export const unpack = (bytes: Uint8Array): Words => words.parse(unpackJson(bytes));
