import { afterAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFile } from '../../infra/bundle.ts';
import { RECORDINGS } from './corpus.ts';
import { media } from '../../shared/media/index.ts';
import { systemTime } from '../../shared/runtime/time.ts';
import { wavFile } from './files.ts';
import { told } from './rig.ts';
import { voice } from './signal.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-media-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the bundled thread decodes and encodes where nothing is installed', async () => {
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
  const { speak } = media({ thread, time: systemTime });
  const wav = wavFile({ channels: [voice(1, 24_000)], rate: 24_000 });
  for (const as of ['ogg', 'mp3'] as const) {
    expect(await told((await speak(wav, as)).bytes, {}, { thread })).toMatchObject({
      begin: { container: as },
    });
  }
}, 60_000);
