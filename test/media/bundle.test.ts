import { afterAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFile } from '../../infra/bundle.ts';
import { RECORDINGS } from './corpus.ts';
import { told } from './rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-media-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the bundled thread decodes where nothing is installed', async () => {
  const thread = join(folder, 'media-thread.js');
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
  bundleFile('shared/media/media-thread.ts', thread);
  for (const name of [
    'Discord voice message: Ogg Opus',
    'MP3',
    'FLAC',
    'AAC on its own (ADTS)',
    'WAV, 44.1 kHz stereo',
  ]) {
    const bytes = await RECORDINGS[name]?.(1);
    expect(await told(bytes ?? new Uint8Array(), {}, { thread })).toMatchObject({
      pieces: [{ n: 0, last: true }],
    });
  }
}, 60_000);
