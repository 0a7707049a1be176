import { RECORDINGS } from './corpus.ts';
import { opusFile } from '../simulators/recording/encode.ts';
import { flacFile, wavFile, wavHeader } from './files.ts';
import { chance, voice } from './signal.ts';

type Made = Uint8Array | Promise<Uint8Array>;
const SECONDS = 4;

const cache = new Map<string, Made>();
/** A valid recording of four seconds; do not modify it. */
export function good(name: keyof typeof RECORDINGS): Made {
  const bytes = cache.get(name) ?? RECORDINGS[name]?.(SECONDS) ?? new Uint8Array();
  cache.set(name, bytes);
  return bytes;
}

export const OGG = 'Discord voice message: Ogg Opus';
export const WEBM = 'Slack clip from Firefox: WebM Opus, lengths unknown';
export const M4A = 'Slack clip from a phone: AAC in M4A, its index last';
export const FRAGMENTS = 'Slack clip from Safari: AAC in MP4, in fragments';

const text = (words: string): Uint8Array => Buffer.from(words);
const noise = (length: number): Uint8Array => Uint8Array.from({ length }, (_, n) => chance(7, n) * 256);

/** Bytes of a valid file with some of an MP4 box replaced: `at` counts from the end of the box's name. */
async function forged(name: string, box: string, at: number, value: number): Promise<Uint8Array> {
  const bytes = Buffer.from(await good(name));
  bytes.writeUInt32BE(value, bytes.indexOf(box, 0, 'latin1') + 4 + at);
  return bytes;
}

const SIX_HOURS = 6 * 3600;

/** An Ogg file whose last page claims to end at this second. */
function lastPageAt(ogg: Uint8Array, seconds: number): Uint8Array {
  const bytes = Buffer.from(ogg);
  bytes.writeBigUInt64LE(48_000n * BigInt(seconds), bytes.lastIndexOf('OggS', undefined, 'latin1') + 6);
  return bytes;
}

/** Tables that claim more than is possible: the demuxer decides what is decoded, as long as it ends. */
export const BOASTS: Readonly<Record<string, () => Made>> = {
  'four billion packets of one length': () => forged(M4A, 'stts', 8, 2 ** 32 - 1),
  'four billion lengths': () => forged(M4A, 'stts', 4, 2 ** 32 - 1),
  'four billion sizes': () => forged(M4A, 'stsz', 8, 2 ** 32 - 1),
  'two hundred million sizes': () => forged(M4A, 'stsz', 8, 200_000_000),
  'four billion chunks': () => forged(M4A, 'stco', 4, 2 ** 32 - 1),
  'a tag of 256 MB before an MP3': async () =>
    Buffer.concat([Buffer.from('ID3\u0004\0\0\u007F\u007F\u007F\u007F', 'latin1'), await good('MP3')]),
};

/** A WebM in which the track with the sound is one of subtitles. */
export async function silentVideo(): Promise<Uint8Array> {
  const bytes = Buffer.from(await good('video from a browser: Opus behind pictures in WebM'));
  const [sound, subtitles] = [Buffer.of(0x83, 0x81, 2), Buffer.of(0x83, 0x81, 0x11)];
  const at = bytes.indexOf(sound);
  if (at < 0) throw new Error('no track with sound');
  subtitles.copy(bytes, at);
  return bytes;
}

/** Files of which nothing can be decoded, with the reason. */
export const REFUSED: Readonly<Record<string, readonly [why: string, make: () => Made]>> = {
  'nothing at all': ['empty', () => new Uint8Array()],
  'a page to log in at': ['page', () => text('\n<!DOCTYPE html><html><head><title>Sign in</title>')],
  'a text': ['unknown', () => text('Dear all, the recording is attached.')],
  noise: ['unknown', () => noise(50_000)],
  'an archive': ['unknown', () => text('PK\u0003\u0004 recording.ogg')],
  'a picture': ['unknown', () => Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  'a playlist that names other files': ['unknown', () => text('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
  'a WAV that ends in its header': [
    'broken',
    () => wavFile({ channels: [voice(1, 16_000)], rate: 16_000 }).subarray(0, 20),
  ],
  'a WAV without sound': ['broken', () => wavHeader({ channels: 1, rate: 16_000, kind: 's16', size: 0 })],
  'a WAV at 1 Hz': [
    'shape',
    () => Buffer.concat([wavHeader({ channels: 1, rate: 1, kind: 's16', size: 32_000 }), noise(32_000)]),
  ],
  'a WAV at 4 GHz': [
    'shape',
    () =>
      Buffer.concat([
        wavHeader({ channels: 1, rate: 2 ** 32 - 1, kind: 's16', size: 32_000 }),
        noise(32_000),
      ]),
  ],
  'a WAV of 65535 channels': [
    'shape',
    () =>
      Buffer.concat([
        wavHeader({ channels: 65_535, rate: 16_000, kind: 's16', size: 32_000 }),
        noise(32_000),
      ]),
  ],
  'an M4A cut before its index': ['broken', async () => (await good(M4A)).subarray(0, 20_000)],
  'an Ogg cut in its first page': ['broken', async () => (await good(OGG)).subarray(0, 40)],
  'a video without sound': ['mute', () => silentVideo()],
  'an M4A whose chunks hold four billion packets': ['slow', () => forged(M4A, 'stsc', 12, 2 ** 32 - 1)],
};

/** Files that are decoded and reported as partial. `ms`: the minimum duration. */
export const PARTIAL: Readonly<Record<string, readonly [ms: number, make: () => Made]>> = {
  'an Ogg cut in the middle': [1500, async () => half(await good(OGG))],
  'a WAV cut in the middle': [1900, async () => half(await good('WAV, 44.1 kHz stereo'))],
  'a WAV that says it goes on for six hours': [
    4000,
    () => wavFile({ channels: [voice(SECONDS, 16_000)], rate: 16_000 }, 's16', 6 * 3600 * 32_000),
  ],
  'an M4A that says it goes on for six hours': [3400, () => forged(M4A, 'mdhd', 16, 44_100 * SIX_HOURS)],
  'a FLAC cut in the middle': [1500, async () => half(await good('FLAC'))],
  'an MP4 in fragments cut in the middle': [1500, async () => half(await good(FRAGMENTS))],
  'an Ogg with holes': [1500, async () => holed(await good(OGG))],
  'an ADTS with holes': [1500, async () => holed(await good('AAC on its own (ADTS)'))],
};

/** Unusual but complete files, with their duration (ms) and number of chunks. */
export const ODD: Readonly<Record<string, readonly [ms: number, pieces: number, make: () => Made]>> = {
  'two Oggs in one file': [8000, 1, async () => Buffer.concat([await good(OGG), await good(OGG)])],
  'an Ogg that says it goes on for six hours': [3994, 1, async () => lastPageAt(await good(OGG), SIX_HOURS)],
  'silence and nothing else': [
    60_000,
    0,
    () => wavFile({ channels: [new Float32Array(60 * 16_000)], rate: 16_000 }),
  ],
  'a FLAC of 8 channels at 192 kHz': [
    1000,
    1,
    () => flacFile({ channels: Array.from({ length: 8 }, () => voice(1, 192_000)), rate: 192_000 }),
  ],
  'an MP3 behind a tag': [
    4000,
    1,
    async () =>
      Buffer.concat([
        Buffer.from('ID3\u0004\0\0\0\0\u0002\0', 'latin1'),
        Buffer.alloc(256),
        await good('MP3'),
      ]),
  ],
};

/** Thirty minutes of silence in a few hundred kilobytes: packets of one byte, 60 ms each. */
export const bomb = (): Promise<Uint8Array> =>
  opusFile(
    Array.from({ length: 30_000 }, () => Uint8Array.of(0x58)),
    'ogg',
    1,
    0.06,
  );

const half = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, Math.floor(bytes.length * 0.6));

/** Bytes with noise in several places after the header. */
export function holed(bytes: Uint8Array, seed = 1, holes = 4): Uint8Array {
  const broken = Uint8Array.from(bytes);
  for (let n = 0; n < holes; n += 1) {
    const at = Math.floor((0.2 + 0.75 * chance(seed, n)) * bytes.length);
    broken.set(noise(200).subarray(0, Math.min(200, bytes.length - at)), at);
  }
  return broken;
}

/** Bytes with random changes anywhere. */
export function damaged(bytes: Uint8Array, seed: number): Uint8Array {
  const broken = Uint8Array.from(bytes);
  for (let n = 0; n < 12; n += 1) {
    broken[Math.floor(chance(seed, n) ** 2 * bytes.length)] = Math.floor(chance(seed, n + 100) * 256);
  }
  return broken;
}
