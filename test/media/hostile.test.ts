import { describe, expect, test } from '@jest/globals';
import { MediaError, REFUSALS } from '../../shared/media/index.ts';
import { BOASTS, bomb, damaged, FRAGMENTS, good, M4A, ODD, OGG, PARTIAL, REFUSED, WEBM } from './hostile.ts';
import { told } from './rig.ts';

/** Long enough for any honest file of some seconds, on a machine that does other things too. */
const patient = { patienceMs: 8000 };
/** For what is to be given up: it takes all the time that it is given. */
const hasty = { patienceMs: 2000 };
const LIMIT = 60_000;

/** `end`, or why nothing could be heard. */
const endOf = (bytes: Uint8Array, patienceMs: number): Promise<unknown> =>
  told(bytes, {}, { patienceMs }).then(
    ({ end }) => end.type,
    (error: unknown) => (error instanceof MediaError ? error.kind : error),
  );

describe('is refused, with the reason:', () => {
  test.each(Object.entries(REFUSED))(
    '%s',
    async (_, [kind, make]) => {
      const given = kind === 'slow' ? hasty : patient;
      await expect(told(await make(), {}, given)).rejects.toMatchObject({ name: 'MediaError', kind });
    },
    LIMIT,
  );
});

describe('is heard as far as it goes, and said to be partial:', () => {
  test.each(Object.entries(PARTIAL))(
    '%s',
    async (_, [ms, make]) => {
      const { end, pieces } = await told(await make(), {}, patient);
      expect(end.partial).toBe('damaged');
      expect(end.ms).toBeGreaterThanOrEqual(ms);
      expect(end.ms).toBeLessThanOrEqual(4100);
      expect(pieces).toHaveLength(1);
    },
    LIMIT,
  );
});

describe('is odd, but whole:', () => {
  test.each(Object.entries(ODD))(
    '%s',
    async (_, [ms, pieces, make]) => {
      const { end } = await told(await make(), {}, patient);
      expect(end.partial).toBeUndefined();
      expect(Math.abs(end.ms - ms)).toBeLessThanOrEqual(50);
      expect(end.pieces).toBe(pieces);
    },
    LIMIT,
  );
});

test(
  'half an hour of silence in a small file ends where no more is wanted',
  async () => {
    const { end } = await told(await bomb(), { mostMs: 300_000 }, patient);
    expect(end).toEqual({ type: 'end', ms: 300_000, pieces: 0, partial: 'long' });
  },
  LIMIT,
);

test(
  'a WebM at whose end the demuxer turns in circles is given up with what was decoded, and the next file is fine',
  async () => {
    const looping = Buffer.concat([await good(WEBM), Buffer.alloc(64)]);
    const { pieces, end } = await told(looping, {}, hasty);
    expect(end).toMatchObject({ pieces: 1, partial: 'slow' });
    expect(end.ms).toBeGreaterThanOrEqual(3400);
    // In each 3 s, the last half second is a breath.
    expect(pieces).toMatchObject([{ n: 0, fromMs: 0, toMs: end.ms, last: true }]);
    expect((await told(await good(OGG))).end.partial).toBeUndefined();
  },
  LIMIT,
);

test.each(Object.entries(BOASTS))(
  'tables that boast end well or in a refusal, in bounded memory: %s',
  async (_, make) => {
    const before = process.memoryUsage.rss();
    expect(['end', ...REFUSALS]).toContain(await endOf(await make(), hasty.patienceMs));
    expect(process.memoryUsage.rss() - before).toBeLessThan(320 * 1024 * 1024);
  },
  LIMIT,
);

test.each([OGG, WEBM, M4A, FRAGMENTS, 'MP3', 'FLAC', 'AAC on its own (ADTS)'])(
  'a damaged file ends well or in a refusal: %s',
  async (name) => {
    for (const seed of [1, 2, 3, 4]) {
      expect(['end', ...REFUSALS]).toContain(await endOf(damaged(await good(name), seed), hasty.patienceMs));
    }
  },
  LIMIT,
);
