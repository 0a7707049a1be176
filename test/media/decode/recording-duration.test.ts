import { describe, expect, test } from '@jest/globals';
import { getRecordingDuration } from '../../../shared/media/decode/recording-duration.ts';
import { openTrack, type Track } from '../../../shared/media/formats/track.ts';
import { getLastTimestampMs } from '../../../shared/media/formats/webm.ts';
import { opusFile, opusPackets } from '../../simulators/recording/encode.ts';
import { voice } from '../signal.ts';

const SECONDS = 20;
const recorded = () => opusFile(opusPackets({ channels: [voice(SECONDS, 48_000)], rate: 48_000 }), 'ogg');

/** The track of a file whose packets cannot all be read. */
function unread(track: Track): Track {
  track.source.computeDuration = () => Promise.reject(new Error('broken'));
  return { ...track, claimedMs: undefined };
}

describe('the duration of a recording before decoding', () => {
  test('is read from its header without reading its packets', async () => {
    const bytes = await recorded();
    const track = { ...unread(await openTrack(bytes, 'ogg')), claimedMs: 5_000 };
    const part = { track, bytes };
    expect(await getRecordingDuration([part, part], 'mp4')).toEqual({ ms: 10_000, estimated: false });
  });

  test('is estimated from its size when nothing else tells it, but not for a video', async () => {
    const bytes = await recorded();
    const track = unread(await openTrack(bytes, 'ogg'));
    const length = await getRecordingDuration([{ track, bytes }], 'mp4');
    expect(length?.estimated).toBe(true);
    expect(Math.abs((length?.ms ?? 0) - SECONDS * 1_000)).toBeLessThan(SECONDS * 100);
    expect(
      await getRecordingDuration([{ track: { ...track, hasVideo: true }, bytes }], 'mp4'),
    ).toBeUndefined();
  });

  test('is read from the end of a browser recording, whose header has none', async () => {
    const live = await opusFile(
      opusPackets({ channels: [voice(SECONDS, 48_000)], rate: 48_000 }),
      'liveWebm',
    );
    const track = await openTrack(live, 'webm');
    expect(track.claimedMs).toBeUndefined();
    const whole = await getRecordingDuration([{ track, bytes: live }], 'webm');
    expect(whole).toEqual({ ms: expect.closeTo(SECONDS * 1_000, -2), estimated: false });
    // For a truncated file, what is there; for a file without audio, its size.
    const half = live.subarray(0, Math.floor(live.length / 2));
    const cut = await getRecordingDuration([{ track, bytes: half }], 'webm');
    expect(cut?.ms).toBeGreaterThan(SECONDS * 300);
    expect(cut?.ms).toBeLessThan(SECONDS * 700);
    for (const junk of [new Uint8Array(0), Uint8Array.of(0x1f, 0x43, 0xb6, 0x75), live.subarray(0, 200)])
      expect(getLastTimestampMs(junk) ?? 0).toBe(0);
  });

  test('is unknown when the claimed duration is impossible', async () => {
    const bytes = await recorded();
    const track = { ...(await openTrack(bytes, 'ogg')), claimedMs: 1e12 };
    expect(await getRecordingDuration([{ track, bytes }], 'ogg')).toBeUndefined();
    expect(await getRecordingDuration([], 'ogg')).toBeUndefined();
  });
});
