import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import * as z from 'zod/mini';
import { messageId, type Turn } from '../conversation/index.ts';

const usage = z.object({
  promptTokens: z.number(),
  completionTokens: z.number(),
  reasoningTokens: z.number(),
  cachedTokens: z.number(),
});

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
      finish: z.string(),
      model: z.string(),
      usage: z.optional(usage),
      requestId: z.optional(z.string()),
      weightVersion: z.optional(z.string()),
    }),
    z.object({ kind: z.literal('failed'), reason: z.string(), text: z.string() }),
  ]),
});

export type Words = Omit<Turn, 'message'>;

/** DynamoDB's limit for an item is 400 KB; a turn's words beyond this many bytes unpacked are not ours. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * The words of a turn as bytes. Brotli halves ordinary prose even when it is short, and every kilobyte saved is a
 * write unit now and a read unit in later turns of the thread.
 */
export function pack(said: Words): Uint8Array {
  const json = JSON.stringify(said, (_key, value: unknown) =>
    Array.isArray(value) && value.length === 0 ? undefined : value,
  );
  return brotliCompressSync(json, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } });
}

/** Throws when the bytes are not a packed turn: an item written by something else. */
export function unpack(bytes: Uint8Array): Words {
  const json: unknown = JSON.parse(
    brotliDecompressSync(bytes, { maxOutputLength: MAX_BYTES }).toString('utf8'),
  );
  return words.parse(json);
}
