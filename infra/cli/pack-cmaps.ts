import { readFile, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const DOCUMENTS = join(import.meta.dirname, '../../shared/documents');

/** Packs the CMaps of pdf.js (`*.bcmap`) into one compressed file: lines with name and length, an empty line, and then all bytes. They have much in common. */
export function packCMaps(maps: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const sorted = [...maps].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const head = sorted.map(([name, { length }]) => `${name} ${length}\n`).join('');
  const bytes = Buffer.concat([Buffer.from(`${head}\n`), ...sorted.map(([, map]) => map)]);
  // The window has room for all of them.
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } });
}

/** `node infra/cli/pack-cmaps.ts FOLDER`: packs the folder `cmaps` of the package `pdfjs-dist`, in the version of pdf.js that `unpdf` contains. */
async function packFolder(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.bcmap'));
  const read = async (name: string) =>
    [basename(name, '.bcmap'), await readFile(join(folder, name))] as const;
  await writeFile(join(DOCUMENTS, 'cmaps.br'), packCMaps(new Map(await Promise.all(names.map(read)))));
  await writeFile(join(DOCUMENTS, 'cmaps-license.txt'), await readFile(join(folder, 'LICENSE')));
}

if (import.meta.main) await packFolder(process.argv[2] ?? '');
