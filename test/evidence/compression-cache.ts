import * as zlib from 'node:zlib';
import { ComputedValues } from './computed-values.ts';

export { constants } from 'node:zlib';

const compressed = new ComputedValues<Buffer>();
const decompressed = new ComputedValues<Buffer>();

/** As in `node:zlib`, for a text. The result is a copy: simulations compare stored bytes by identity. */
export const brotliCompressSync = (text: string, options: zlib.BrotliOptions): Buffer =>
  Buffer.from(compressed.get(text, () => zlib.brotliCompressSync(text, options)));

/** As in `node:zlib`. The caller does not change the result. */
export const brotliDecompressSync = (bytes: Uint8Array, options: zlib.BrotliOptions): Buffer =>
  decompressed.get(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'), () =>
    zlib.brotliDecompressSync(bytes, options),
  );
