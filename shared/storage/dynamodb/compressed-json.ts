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
 * later.
 */
export const compress = (json: string): Uint8Array =>
  brotliCompressSync(json, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } });

export const compressJson = (value: unknown): Uint8Array => compress(toJson(value));

/** Throws if the bytes are not compressed JSON. */
export function decompressJson(bytes: Uint8Array): unknown {
  return JSON.parse(brotliDecompressSync(bytes, { maxOutputLength: MAX_JSON_BYTES }).toString('utf8'));
}
