import { afterAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RECORDINGS, SECONDS } from '../corpus.ts';
import { decodeRecording, joinedSamples } from '../decode-recording.ts';
import { silentVideo } from '../hostile.ts';
import { likeness } from '../signal.ts';
import { Resampler } from '../../../shared/media/decode/resample.ts';
import { SAMPLE_RATE } from '../../../shared/media/formats/wav.ts';

/** The maximum difference of a duration or a time from ffmpeg's. */
const MAX_MS = 50;

const real = spawnSync('ffmpeg', ['-version']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'parley-ffmpeg-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A program that replaces ffmpeg. */
function standIn(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!${process.execPath}\n${script}`);
  chmodSync(path, 0o755);
  return path;
}
/** A format that only ffmpeg reads. */
const AMR = Buffer.concat([Buffer.from('#!AMR\n'), Buffer.alloc(1000, 0x3c)]);

describe('with ffmpeg', () => {
  test('a video without sound is reported as one', async () => {
    const ffmpeg = standIn('finds-nothing', 'process.exit(1)');
    await expect(decodeRecording(await silentVideo(), {}, { ffmpeg })).rejects.toMatchObject({
      kind: 'mute',
    });
  });

  test('an unsupported format is decoded from an unlinked file', async () => {
    const ffmpeg = standIn(
      'sings',
      `const { readFileSync, readlinkSync } = require('node:fs');
       const input = process.argv[process.argv.indexOf('-i') + 1];
       const fine = readFileSync(input).length === 1006 && readlinkSync(input).endsWith('(deleted)');
       if (!fine || Object.keys(process.env).some((name) => name === 'HOME')) process.exit(1);
       process.stdout.write(Buffer.alloc(32001, 7));`,
    );
    const { begin, chunks, end } = await decodeRecording(AMR, {}, { ffmpeg });
    expect(begin).toMatchObject({ container: 'other', codec: 'ffmpeg' });
    expect(chunks).toMatchObject([{ n: 0, fromMs: 0, toMs: 1000, last: true }]);
    expect(end).toEqual({ type: 'end', ms: 1000, chunks: 1 });
  });

  test('a supported format is not passed to ffmpeg', async () => {
    const ffmpeg = join(folder, 'nowhere');
    const bytes = await RECORDINGS['Discord voice message: Ogg Opus']?.(1);
    expect((await decodeRecording(bytes ?? new Uint8Array(), {}, { ffmpeg })).begin.codec).toBe('opus');
  });

  test('a failing, missing or endless ffmpeg is an error', async () => {
    const failing = standIn('fails', 'process.exit(1)');
    await expect(decodeRecording(AMR, {}, { ffmpeg: failing })).rejects.toMatchObject({ kind: 'unknown' });
    await expect(decodeRecording(AMR, {}, { ffmpeg: join(folder, 'nowhere') })).rejects.toMatchObject({
      kind: 'unknown',
    });
    const endless = standIn('endless', 'setInterval(() => undefined, 1000)');
    await expect(decodeRecording(AMR, {}, { ffmpeg: endless, timeoutMs: 1000 })).rejects.toMatchObject({
      kind: 'slow',
    });
  });
});

/**
 * ffmpeg's decoding of a recording. For Opus with libopus, as ours: ffmpeg's own decoder is half a sample off. Where
 * a file does not declare the encoder delay, ffmpeg keeps it and our decoder does not.
 */
function decodedByFfmpeg(bytes: Uint8Array, name: string): Float32Array {
  const file = join(folder, 'recording');
  writeFileSync(file, bytes);
  const decoder = name.includes('Opus') ? ['-c:a', 'libopus'] : [];
  const { stdout } = spawnSync(
    'ffmpeg',
    ['-v', 'error', ...decoder, '-i', file, '-ac', '1', '-ar', String(SAMPLE_RATE), '-f', 's16le', 'pipe:1'],
    { maxBuffer: 1e8 },
  );
  return Float32Array.from({ length: stdout.length / 2 }, (_, n) => stdout.readInt16LE(n * 2) / 32_768);
}

/** The offset is found at the start; the similarity is of the whole. */
const LAGGED = 20_000;
/** Audio is offset by fractions of a sample: a threefold rate is fine enough. */
const FINER = 3;
const finer = (samples: Float32Array): Float32Array => {
  const resampler = new Resampler(SAMPLE_RATE, SAMPLE_RATE * FINER);
  const [begin, end] = [resampler.push(samples), resampler.end()];
  const all = new Float32Array(begin.length + end.length);
  all.set(begin);
  all.set(end, begin.length);
  return all;
};

(real ? describe : describe.skip)('compared with ffmpeg (skipped where it is not installed)', () => {
  test.each(Object.entries(RECORDINGS))('%s', async (name, record) => {
    const bytes = await record(SECONDS);
    const decoded = decodedByFfmpeg(bytes, name);
    const recording = await decodeRecording(bytes);
    expect(Math.abs(recording.end.ms - (decoded.length / SAMPLE_RATE) * 1000)).toBeLessThanOrEqual(MAX_MS);
    const ours = joinedSamples(recording);
    const { lag } = likeness(
      decoded.subarray(0, LAGGED),
      ours.subarray(0, LAGGED),
      (MAX_MS * SAMPLE_RATE) / 1000,
    );
    const { like } = likeness(finer(decoded), finer(ours), FINER, lag * FINER);
    expect(like).toBeGreaterThanOrEqual(0.99);
  });
});
