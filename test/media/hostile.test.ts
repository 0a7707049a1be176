import { describe, expect, test } from '@jest/globals';
import { MediaError, MEDIA_ERROR_KINDS } from '../../shared/media/index.ts';
import { BOASTS, bomb, damaged, FRAGMENTS, good, M4A, ODD, OGG, PARTIAL, REFUSED, WEBM } from './hostile.ts';
import { decodeRecording } from './decode-recording.ts';

/** Enough for any valid file of some seconds on a busy machine. */
const patient = { timeoutMs: 8000 };
/** For files that must be given up: they use all their time, which is processor time. */
const hasty = { timeoutMs: 1000 };

/** Decodes a file that uses all its time: with more time where a busy machine decoded nothing before it was stopped. */
async function decodedInTime(bytes: Uint8Array): ReturnType<typeof decodeRecording> {
  for (const timeoutMs of [2 * hasty.timeoutMs, patient.timeoutMs]) {
    const decoded = await decodeRecording(bytes, {}, { timeoutMs }).catch((error: unknown) => {
      if (error instanceof MediaError && error.kind === 'slow') return undefined;
      throw error;
    });
    if (decoded !== undefined) return decoded;
  }
  return await decodeRecording(bytes, {}, { timeoutMs: 4 * patient.timeoutMs });
}

/** `end`, or the reason why nothing was decoded. */
const endOf = (bytes: Uint8Array, timeoutMs: number): Promise<unknown> =>
  decodeRecording(bytes, {}, { timeoutMs }).then(
    ({ end }) => end.type,
    (error: unknown) => (error instanceof MediaError ? error.kind : error),
  );

describe('is rejected with the reason:', () => {
  test.each(Object.entries(REFUSED))('%s', async (_, [kind, make]) => {
    const limits = kind === 'slow' ? hasty : patient;
    await expect(decodeRecording(await make(), {}, limits)).rejects.toMatchObject({
      name: 'MediaError',
      kind,
    });
  });
});

describe('is decoded as far as possible and reported as partial:', () => {
  test.each(Object.entries(PARTIAL))('%s', async (_, [ms, make]) => {
    const { end, chunks } = await decodeRecording(await make(), {}, patient);
    expect(end.partial).toBe('damaged');
    expect(end.ms).toBeGreaterThanOrEqual(ms);
    expect(end.ms).toBeLessThanOrEqual(4100);
    expect(chunks).toHaveLength(1);
  });
});

describe('is unusual but complete:', () => {
  test.each(Object.entries(ODD))('%s', async (_, [ms, chunks, make]) => {
    const { end } = await decodeRecording(await make(), {}, patient);
    expect(end.partial).toBeUndefined();
    expect(Math.abs(end.ms - ms)).toBeLessThanOrEqual(50);
    expect(end.chunks).toBe(chunks);
  });
});

test('half an hour of silence in a small file ends at the maximum duration', async () => {
  const { end } = await decodeRecording(await bomb(), { maxMs: 300_000 }, patient);
  expect(end).toEqual({ type: 'end', ms: 300_000, chunks: 0, partial: 'long' });
});

test('a WebM that makes the demuxer loop at its end is stopped with the decoded part, and the next file is decoded', async () => {
  const looping = Buffer.concat([await good(WEBM), Buffer.alloc(64)]);
  const { chunks, end } = await decodedInTime(looping);
  expect(end).toMatchObject({ chunks: 1, partial: 'slow' });
  expect(end.ms).toBeGreaterThanOrEqual(3400);
  // In each 3 s, the last half second is silence.
  expect(chunks).toMatchObject([{ n: 0, fromMs: 0, toMs: end.ms, last: true }]);
  expect((await decodeRecording(await good(OGG))).end.partial).toBeUndefined();
});

test.each(Object.entries(BOASTS))(
  'forged tables end in a result or an error, in bounded memory: %s',
  async (_, make) => {
    const before = process.memoryUsage.rss();
    expect(['end', ...MEDIA_ERROR_KINDS]).toContain(await endOf(await make(), hasty.timeoutMs));
    expect(process.memoryUsage.rss() - before).toBeLessThan(320 * 1024 * 1024);
  },
);

test.each([OGG, WEBM, M4A, FRAGMENTS, 'MP3', 'FLAC', 'AAC on its own (ADTS)'])(
  'a damaged file ends in a result or an error: %s',
  async (name) => {
    for (const seed of [1, 2, 3, 4]) {
      expect(['end', ...MEDIA_ERROR_KINDS]).toContain(
        await endOf(damaged(await good(name), seed), hasty.timeoutMs),
      );
    }
  },
);
