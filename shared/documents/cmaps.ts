import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/**
 * Reads the CMaps of Adobe for Chinese, Japanese and Korean, as pdf.js needs them: by name, such as `90ms-RKSJ-H`. They tell which characters the codes
 * in a PDF mean whose font does not say so itself. Takes some milliseconds. Throws if the file is missing or damaged. `infra/cli/pack-cmaps.ts` writes it.
 */
export function readCMaps(file: string): ReadonlyMap<string, Uint8Array> {
  const bytes = brotliDecompressSync(readFileSync(file));
  const end = bytes.indexOf('\n\n');
  let start = end + 2;
  return new Map(
    bytes
      .toString('latin1', 0, end)
      .split('\n')
      .map((line) => {
        const [name = '', length] = line.split(' ');
        const map = bytes.subarray(start, start + Number(length));
        start += Number(length);
        // A copy of its own, because pdf.js passes it on.
        return [name, new Uint8Array(map)] as const;
      }),
  );
}
