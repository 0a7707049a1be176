import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packCMaps } from '../../infra/cli/pack-cmaps.ts';
import { readCMaps } from '../../shared/documents/cmaps.ts';

/** Those that every reader has to know, without `-H` and `-V`: ISO 32000-1, table 118. */
const PREDEFINED =
  'GB-EUC GBpc-EUC GBK-EUC GBKp-EUC GBK2K UniGB-UCS2 UniGB-UTF16 B5pc HKscs-B5 ETen-B5 ETenms-B5 CNS-EUC UniCNS-UCS2 UniCNS-UTF16 90ms-RKSJ 90msp-RKSJ EUC UniJIS-UCS2 UniJIS-UCS2-HW UniJIS-UTF16 KSC-EUC KSCms-UHC KSCms-UHC-HW UniKS-UCS2 UniKS-UTF16';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cmaps-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('packed CMaps are read as they were', async () => {
  const maps = new Map([
    ['V', Uint8Array.of(10, 10, 0, 255)],
    ['H', Uint8Array.of(1)],
    ['empty', new Uint8Array()],
  ]);
  const file = join(folder, 'cmaps.br');
  await writeFile(file, packCMaps(maps));
  expect(readCMaps(file)).toEqual(maps);
});

test('all predefined CMaps are there, and those that lead to Unicode', () => {
  const maps = readCMaps(fileURLToPath(new URL('../../shared/documents/cmaps.br', import.meta.url)));
  const names = [
    ...PREDEFINED.split(' ').flatMap((name) => [`${name}-H`, `${name}-V`]),
    'H',
    'V',
    '83pv-RKSJ-H',
    '90pv-RKSJ-H',
    'Add-RKSJ-H',
    'Add-RKSJ-V',
    'Ext-RKSJ-H',
    'Ext-RKSJ-V',
    'KSCpc-EUC-H',
    ...['GB1', 'CNS1', 'Japan1', 'Korea1'].map((ordering) => `Adobe-${ordering}-UCS2`),
  ];
  expect(names.filter((name) => (maps.get(name)?.length ?? 0) === 0)).toEqual([]);
});
