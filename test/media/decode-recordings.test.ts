import { describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { RECORDINGS, SECONDS } from './corpus.ts';
import { bareMp3, coded, filmed, opusFile, opusPackets } from '../simulators/recording/encode.ts';
import { wavFile } from './files.ts';
import { type DecodedRecording, decodeRecording, joinedSamples } from './decode-recording.ts';
import { likeness, voice } from './signal.ts';

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const digestOf = ({ chunks }: DecodedRecording) =>
  chunks.map((chunk) => ({ ...chunk, wav: digest(chunk.wav) }));

/** The recorded audio of all files, as the models get it. */
const recorded = voice(SECONDS, 16_000);

describe('a decoded recording sounds like the original:', () => {
  test.each(Object.entries(RECORDINGS))('%s', async (_, record) => {
    const recording = await decodeRecording(await record(SECONDS));
    expect(recording.end.partial).toBeUndefined();
    // Known before decoding, whatever the container claims.
    expect(recording.begin.length?.estimated).toBe(false);
    expect(Math.abs((recording.begin.length?.ms ?? 0) - SECONDS * 1000)).toBeLessThanOrEqual(120);
    expect(Math.abs(recording.end.ms - SECONDS * 1000)).toBeLessThanOrEqual(50);
    const sound = joinedSamples(recording);
    // 5 ms; 25 ms for raw AAC, which does not declare the encoder delay.
    const { lag } = likeness(recorded.subarray(0, 20_000), sound.subarray(0, 20_000), 400);
    expect(Math.abs(lag)).toBeLessThanOrEqual(recording.begin.container === 'adts' ? 400 : 80);
    expect(likeness(recorded, sound, 0, lag).like).toBeGreaterThanOrEqual(0.99);
  });
});

const opusWebm = (seconds: number) =>
  opusFile(opusPackets({ channels: [voice(seconds, 48_000)], rate: 48_000 }), 'webm');
const mp3 = (seconds: number, bitrate: number) =>
  coded({ channels: [voice(seconds, 44_100)], rate: 44_100 }, 'mp3', 'mp3', bitrate);

describe('a recording is not called damaged because', () => {
  test('the picture of a WebM video goes on after its sound; one that was cut is', async () => {
    const film = await filmed(await opusWebm(4), 'webm', 'opus', 20);
    const whole = await decodeRecording(film);
    expect(whole.end.partial).toBeUndefined();
    expect(Math.abs(whole.end.ms - 4_000)).toBeLessThanOrEqual(50);
    const cut = await decodeRecording(film.subarray(0, Math.floor(film.length * 0.6)));
    expect(cut.end.partial).toBe('damaged');
  });

  test('an MP3 of variable bitrate without a Xing header begins quietly', async () => {
    const frames = await bareMp3(await mp3(1, 64_000), await mp3(5, 320_000));
    const { begin, end } = await decodeRecording(frames);
    expect(end.partial).toBeUndefined();
    expect(begin.length?.estimated).toBe(false);
    expect(Math.abs((begin.length?.ms ?? 0) - end.ms)).toBeLessThanOrEqual(100);
    expect(Math.abs(end.ms - 6_000)).toBeLessThanOrEqual(200);
    // One that states its length, and was cut, is.
    const stated = await mp3(5, 64_000);
    const cut = await decodeRecording(stated.subarray(0, Math.floor(stated.length / 2)));
    expect(cut.end.partial).toBe('damaged');
  });
});

const lengthTold = async (bytes: Uint8Array) => (await decodeRecording(bytes)).begin.length;

describe('the duration of a recording', () => {
  test('is the sum of all streams of a chained Ogg file', async () => {
    const packets = opusPackets({ channels: [voice(2, 48_000)], rate: 48_000 });
    const link = await opusFile(packets, 'ogg');
    const length = await lengthTold(Buffer.concat([link, link, link]));
    expect(length?.estimated).toBe(false);
    expect(Math.abs((length?.ms ?? 0) - 6_000)).toBeLessThanOrEqual(120);
  });

  test('is unknown when its header is forged and nothing else tells it', async () => {
    const forged = wavFile({ channels: [voice(2, 16_000)], rate: 16_000 }, 's16', 0xffff_ff00);
    const length = await lengthTold(forged);
    expect(length === undefined || length.ms <= 48 * 3_600_000).toBe(true);
  });
});

test('two voices on two channels are both decoded, also when the decoder mixes them (Opus)', async () => {
  const seconds = 1.5;
  const channels = [voice(seconds, 48_000), voice(seconds, 48_000, 2)];
  const bytes = await opusFile(opusPackets({ channels, rate: 48_000 }, 64_000), 'ogg', 2);
  const [left, right] = [voice(seconds, 16_000), voice(seconds, 16_000, 2)];
  const both = left.map((sample, n) => (sample + (right[n] ?? 0)) / 2);
  expect(likeness(both, joinedSamples(await decodeRecording(bytes)), 20).like).toBeGreaterThanOrEqual(0.99);
});

describe('a long recording', () => {
  const seconds = 90;
  const bytes = wavFile({ channels: [voice(seconds, 16_000)], rate: 16_000 });

  test('is split into chunks of 20 to 30 s at pauses, and loses and repeats nothing', async () => {
    const recording = await decodeRecording(bytes);
    const { chunks } = recording;
    expect(chunks.map(({ n }) => n)).toEqual([...chunks.keys()]);
    expect(chunks.map(({ last }) => last)).toEqual(chunks.map((_, n) => n === chunks.length - 1));
    for (const chunk of chunks.slice(0, -1)) {
      expect(chunk.toMs - chunk.fromMs).toBeGreaterThan(19_000);
      expect(chunk.toMs - chunk.fromMs).toBeLessThanOrEqual(30_000);
      // In each 3 s, the last half second is silence.
      expect(chunk.toMs % 3000).toBeGreaterThanOrEqual(2500);
    }
    expect(likeness(voice(seconds, 16_000), joinedSamples(recording), 0).like).toBeGreaterThan(0.9999);
  });

  test('continues from any chunk', async () => {
    const [all, rest] = [await decodeRecording(bytes), await decodeRecording(bytes, { firstChunk: 2 })];
    expect(digestOf(rest)).toEqual(digestOf(all).slice(2));
    expect(rest.end).toEqual(all.end);
  });

  test('ends at the maximum duration, and reports it', async () => {
    const recording = await decodeRecording(bytes, { maxMs: 45_000 });
    expect(recording.end).toMatchObject({ ms: 45_000, partial: 'long' });
  });
});
