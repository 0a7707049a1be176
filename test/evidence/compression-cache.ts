import * as zlib from 'node:zlib';

export { constants } from 'node:zlib';

/** Results of zlib. Simulations store the same turns in thousands of runs, and compressing one takes longer than most requests. */
class Results<Value> {
  readonly #values = new Map<string, Value>();

  get(key: string, compute: () => Value): Value {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    if (this.#values.size >= MAX_RESULTS) this.#values.clear();
    const value = compute();
    this.#values.set(key, value);
    return value;
  }
}

const MAX_RESULTS = 2_000;
const compressed = new Results<Buffer>();
const decompressed = new Results<Buffer>();

/** As in `node:zlib`, for a text. The result is a copy: simulations compare stored bytes by identity. */
export const brotliCompressSync = (text: string, options: zlib.BrotliOptions): Buffer =>
  Buffer.from(compressed.get(text, () => zlib.brotliCompressSync(text, options)));

/** As in `node:zlib`. The caller does not change the result. */
export const brotliDecompressSync = (bytes: Uint8Array, options: zlib.BrotliOptions): Buffer =>
  decompressed.get(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'), () =>
    zlib.brotliDecompressSync(bytes, options),
  );
