import * as v from 'valibot';
import {
  fromStoredNames,
  maskedCountsSchema,
  MAX_TURN_BYTES,
  messageId,
  type StoredNames,
  storedPictureSchema,
  toStoredNames,
  type Turn,
  userId,
} from '../../domain/index.ts';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const usage = v.object({
  promptTokens: v.number(),
  completionTokens: v.number(),
  reasoningTokens: v.number(),
  cachedTokens: v.number(),
});

const failure = v.optional(
  v.object({
    status: v.optional(v.number()),
    code: v.optional(v.string()),
    param: v.optional(v.string()),
    requestId: v.optional(v.string()),
  }),
);

const number = v.number();
const timings = v.optional(v.pipe(v.tuple([number, number, number, number, number, number]), v.readonly()));

const toolCalls = v.optional(
  v.array(
    v.object({
      tool: v.string(),
      source: v.string(),
      ms: v.number(),
      outcome: v.picklist(['done', 'failed', 'proposed']),
      search: v.optional(
        v.object({
          query: v.string(),
          // An empty list is not stored.
          results: v.optional(v.array(v.object({ number, title: v.string(), url: v.string() })), []),
        }),
      ),
    }),
  ),
);
const contentSchema = v.object({
  question: v.string(),
  edit: v.optional(v.string()),
  mergedQuestions: v.optional(
    v.array(
      v.object({
        message: v.pipe(v.string(), v.transform(messageId)),
        question: v.string(),
        edit: v.optional(v.string()),
      }),
    ),
  ),
  pictures: v.optional(
    v.array(
      v.object({
        ...storedPictureSchema.entries,
        isTranscribed: v.optional(v.boolean()),
        isUnread: v.optional(v.boolean()),
      }),
    ),
  ),
  // Earlier versions stored `before`: text without its author. It is ignored, because no person's part can be
  // erased from it.
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
  outcome: v.variant('kind', [
    v.object({
      kind: v.literal('answered'),
      text: v.string(),
      closing: v.optional(v.number()),
      finish: v.string(),
      model: v.string(),
      requestedModel: v.optional(v.string()),
      usage: v.optional(usage),
      requests: v.optional(v.number()),
      images: v.optional(v.number()),
      requestId: v.optional(v.string()),
      weightVersion: v.optional(v.string()),
      isUsageEstimated: v.optional(v.boolean()),
      omitted: v.optional(v.array(v.string())),
      versions: v.optional(v.array(v.string())),
      version: v.optional(v.number()),
      confidence: v.optional(v.number()),
      toolCalls,
      masked: v.optional(maskedCountsSchema),
      facts: v.optional(v.array(v.string())),
      failure,
      timings,
    }),
    v.object({
      kind: v.literal('failed'),
      reason: v.string(),
      text: v.string(),
      toolCalls,
      facts: v.optional(v.array(v.string())),
      failure,
      timings,
    }),
  ]),
});

export type TurnContent = Omit<Turn, 'message'>;

/** A turn is too large for its item. Nothing was written. */
export class TurnTooLargeError extends Error {
  override readonly name = 'TurnTooLargeError';
}

/**
 * Whether DynamoDB rejected an item because of its size. Only the message shows it: the error name is the same
 * for every malformed request.
 */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationException' && /item size/iu.test(error.message);

const STORED_NAMES: StoredNames = {
  mergedQuestions: 'folded',
  outcome: ['ending', { timings: 'course' }],
};

/** Compresses the content of a turn. Throws TurnTooLargeError above `MAX_TURN_BYTES`. */
export function compressTurn(content: TurnContent): Uint8Array {
  const json = toJson(toStoredNames(content, STORED_NAMES));
  if (Buffer.byteLength(json) > MAX_TURN_BYTES) throw new TurnTooLargeError();
  return compress(json);
}

/** Throws if the bytes are not the content of a turn: too large, damaged, or of another format. */
export const decompressTurn = (bytes: Uint8Array): TurnContent =>
  v.parse(contentSchema, fromStoredNames(decompressJson(bytes), STORED_NAMES));

/** Returns the content of a turn, or undefined if it cannot be read: the turn then counts as absent. */
export function readTurnContent(bytes: Uint8Array): TurnContent | undefined {
  try {
    return decompressTurn(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The maximum size after decompression. DynamoDB items have at most 400 KB compressed; larger results are not
 * our data.
 */
const MAX_JSON_BYTES = 4 * 1024 * 1024;

/** Serializes a value as JSON without empty lists. */
const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    Array.isArray(inner) && inner.length === 0 ? undefined : inner,
  );

/** The sizes (bytes) of the buffers for results: a result has at most a few. zlib allocates 16 KB for each by default. */
const [MIN_CHUNK, MAX_CHUNK] = [256, 16 * 1024] as const;

/**
 * Compresses JSON. Brotli halves even short prose, and every kilobyte costs a write unit now and a read unit
 * later. The size hint and the small buffer make it three times as fast for a usual turn.
 */
function compress(json: string): Uint8Array {
  return brotliCompressSync(json, {
    chunkSize: Math.min(MAX_CHUNK, Math.max(MIN_CHUNK, json.length)),
    params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: json.length },
  });
}

export const compressJson = (value: unknown): Uint8Array => compress(toJson(value));

/** Throws if the bytes are not compressed JSON. */
export function decompressJson(bytes: Uint8Array): unknown {
  return JSON.parse(brotliDecompressSync(bytes, { maxOutputLength: MAX_JSON_BYTES }).toString('utf8'));
}
