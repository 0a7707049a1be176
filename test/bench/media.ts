import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { bundleFile } from '../../infra/cdk/bundle.ts';
import { coded, opusFile, opusPackets, repeated, type Sound } from '../simulators/recording/encode.ts';
import { flacFile, wavFile } from '../media/files.ts';
import { voice } from '../media/signal.ts';
import type { Row } from './report-table.ts';

/** Recordings are this many copies of a minute, one after the other. */
const MINUTES = 20;
const LIMIT_S = 5;
const LIMIT_MB = 256;
const LIMIT_OPUS_S = 1.5;

const measured = v.object({ seconds: v.number(), cpu: v.number(), mb: v.number() });
type Measured = v.InferOutput<typeof measured>;

const minute = (rate: number, channels = 1): Sound => ({
  channels: Array.from({ length: channels }, () => voice(60, rate)),
  rate,
});
const long = (rate: number): Float32Array => {
  const all = new Float32Array(60 * rate * MINUTES);
  for (let n = 0; n < MINUTES; n += 1) all.set(voice(60, rate), n * 60 * rate);
  return all;
};
const packets = (): Uint8Array[] => {
  const once = opusPackets(minute(48_000));
  return Array.from({ length: MINUTES }, () => once).flat();
};

/**
 * The memory is that of the whole process with the recording: WAV and FLAC have speech rates, since 20 minutes of WAV
 * in stereo at 44.1 kHz alone are 212 MB, more than a platform accepts.
 */
const FILES: Readonly<Record<string, () => Uint8Array | Promise<Uint8Array>>> = {
  'Ogg Opus': () => opusFile(packets(), 'ogg'),
  'WebM Opus': () => opusFile(packets(), 'webm'),
  'AAC in M4A': async () => repeated(await coded(minute(44_100), 'aac', 'mp4'), 'aac', 'mp4', MINUTES),
  'AAC in MP4, stereo': async () =>
    repeated(await coded(minute(48_000, 2), 'aac', 'mp4', 128_000), 'aac', 'fragmentedMp4', MINUTES),
  MP3: async () => repeated(await coded(minute(44_100), 'mp3', 'mp3'), 'mp3', 'mp3', MINUTES),
  FLAC: () => flacFile({ channels: [long(24_000)], rate: 24_000 }),
  'WAV, 16 kHz': () => wavFile({ channels: [long(16_000)], rate: 16_000 }),
};

/**
 * Twenty minutes of each format decoded into chunks for the models, and a minute of speech encoded as a voice
 * message; compared with ffmpeg if it is installed.
 */
export async function media(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-media-'));
  try {
    const thread = join(folder, 'media-thread.js');
    writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
    bundleFile('shared/media/worker-thread/media-thread.ts', thread);
    const code = join(folder, 'media-run.js');
    bundleFile('test/bench/media-run.ts', code);
    const run = (what: 'listen' | 'speak', file: string): Measured =>
      v.parse(
        measured,
        JSON.parse(execFileSync(process.execPath, [code, what, thread, file], { encoding: 'utf8' })),
      );
    const rows: Row[] = [];
    for (const [name, make] of Object.entries(FILES)) {
      const file = join(folder, 'recording');
      writeFileSync(file, await make());
      const { seconds, cpu, mb } = run('listen', file);
      const what = `${MINUTES} min of ${name} to pieces`;
      rows.push({ what, value: seconds, unit: 's', limit: LIMIT_S });
      rows.push({ what: `${what}, of the processor`, value: cpu, unit: 's' });
      rows.push({ what: `${what}, most memory`, value: mb, unit: 'MB', limit: LIMIT_MB });
      rows.push(...besideFfmpeg(what, seconds, file));
    }
    const speech = join(folder, 'speech.wav');
    writeFileSync(speech, wavFile({ channels: [voice(60, 24_000)], rate: 24_000 }));
    const { seconds, cpu } = run('speak', speech);
    rows.push({ what: '60 s of speech to Ogg Opus', value: seconds, unit: 's', limit: LIMIT_OPUS_S });
    rows.push({ what: '60 s of speech to Ogg Opus, of the processor', value: cpu, unit: 's' });
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function besideFfmpeg(what: string, seconds: number, file: string): Row[] {
  const begin = performance.now();
  const { status } = spawnSync('ffmpeg', [
    '-v',
    'error',
    '-i',
    file,
    '-ac',
    '1',
    '-ar',
    '16000',
    '-f',
    's16le',
    '-y',
    '/dev/null',
  ]);
  const ffmpeg = (performance.now() - begin) / 1000;
  return status === 0
    ? [{ what: `${what}, times what ffmpeg takes`, value: seconds / ffmpeg, unit: '' }]
    : [];
}
