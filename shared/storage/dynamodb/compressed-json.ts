import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/**
 * The maximum size after decompression. DynamoDB items have at most 400 KB compressed; larger results are not
 * our data.
 */
const MAX_JSON_BYTES = 4 * 1024 * 1024;

/** Serializes a value as JSON without empty lists. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    Array.isArray(inner) && inner.length === 0 ? undefined : inner,
  );

/**
 * Compresses JSON. Brotli halves even short prose, and every kilobyte costs a write unit now and a read unit
 * later. A window of the size of the text takes half the time of the default window of 4 MB for short texts.
 */
export function compress(json: string): Uint8Array {
  const bytes = Buffer.byteLength(json);
  // A window has 2 ** bits - 16 bytes.
  const bits = Math.ceil(Math.log2(bytes + 16));
  const { BROTLI_MIN_WINDOW_BITS: least, BROTLI_DEFAULT_WINDOW: most } = constants;
  return brotliCompressSync(json, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 6,
      [constants.BROTLI_PARAM_LGWIN]: Math.min(most, Math.max(least, bits)),
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
    },
  });
}

export const compressJson = (value: unknown): Uint8Array => compress(toJson(value));

/** Throws if the bytes are not compressed JSON. */
export function decompressJson(bytes: Uint8Array): unknown {
  return JSON.parse(brotliDecompressSync(bytes, { maxOutputLength: MAX_JSON_BYTES }).toString('utf8'));
}
