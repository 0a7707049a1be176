import { BadRequestError } from '../errors.ts';

/** PCM audio, 16 bits per sample. */
export type Wav = {
  /** Hz. */
  readonly rate: number;
  readonly channels: number;
  /** The samples, little-endian, channels interleaved. */
  readonly samples: Uint8Array;
};

const HEADER_BYTES = 44;

/** Parses a RIFF WAVE file of 16-bit PCM. Throws BadRequestError (`not_wav`) for anything else. */
export function readWav(bytes: Uint8Array): Wav {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tag = (offset: number): string => String.fromCharCode(...bytes.subarray(offset, offset + 4));
  if (bytes.length < HEADER_BYTES || tag(0) !== 'RIFF' || tag(8) !== 'WAVE')
    throw createNotWavError('it is not a WAV file');
  let format: { channels: number; rate: number } | undefined;
  for (let offset = 12; offset + 8 <= bytes.length;) {
    const size = view.getUint32(offset + 4, true);
    const body = offset + 8;
    if (tag(offset) === 'fmt ' && body + 16 <= bytes.length) {
      const isPcm = view.getUint16(body, true) === 1 && view.getUint16(body + 14, true) === 16;
      if (!isPcm) throw createNotWavError('it is not 16-bit PCM');
      format = { channels: view.getUint16(body + 2, true), rate: view.getUint32(body + 4, true) };
    } else if (tag(offset) === 'data') {
      if (format === undefined || format.channels < 1 || format.rate < 1)
        throw createNotWavError('it names no format');
      // A streaming recorder writes 0 or the maximum as size: the rest of the file is audio.
      const end = size === 0 ? bytes.length : Math.min(bytes.length, body + size);
      return { ...format, samples: bytes.subarray(body, end) };
    }
    offset = body + size + (size % 2);
  }
  throw createNotWavError('it contains no audio');
}

/** Encodes the audio as a WAV file. */
export function writeWav({ rate, channels, samples }: Wav): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(HEADER_BYTES - 8 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * channels * 2, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** A part of a recording and its start, in seconds. */
export type WavPart = { readonly wav: Wav; readonly start: number };

/** The split point is the quietest moment in this many seconds before the limit. */
const SEARCH_SECONDS = 5;
const WINDOW_SECONDS = 0.05;

/** Splits a recording into parts of at most `maxSeconds`, at quiet moments so that few words are cut. */
export function splitWav(wav: Wav, maxSeconds: number): WavPart[] {
  const frameBytes = wav.channels * 2;
  const frames = Math.floor(wav.samples.length / frameBytes);
  const maxFrames = Math.max(1, Math.floor(maxSeconds * wav.rate));
  const parts: WavPart[] = [];
  for (let from = 0; from < frames || parts.length === 0;) {
    const remaining = frames - from;
    const length = remaining <= maxFrames ? remaining : findQuietestFrame(wav, from, maxFrames) - from;
    const samples = wav.samples.subarray(from * frameBytes, (from + length) * frameBytes);
    parts.push({ wav: { ...wav, samples }, start: from / wav.rate });
    from += length;
    if (remaining <= maxFrames) break;
  }
  return parts;
}

/** Returns the frame to split at: the middle of the quietest window in the last seconds before the limit. */
function findQuietestFrame(wav: Wav, from: number, maxFrames: number): number {
  const window = Math.max(1, Math.floor(WINDOW_SECONDS * wav.rate));
  const search = Math.min(Math.floor(maxFrames / 2), SEARCH_SECONDS * wav.rate);
  let bestFrame = from + maxFrames;
  let minLoudness = Infinity;
  for (let offset = from + maxFrames - window; offset >= from + maxFrames - search; offset -= window) {
    const loudness = measureLoudness(wav, offset, window);
    if (loudness >= minLoudness) continue;
    minLoudness = loudness;
    bestFrame = offset + Math.floor(window / 2);
  }
  return bestFrame;
}

function measureLoudness({ samples, channels }: Wav, offset: number, length: number): number {
  const view = new DataView(samples.buffer, samples.byteOffset, samples.byteLength);
  let sum = 0;
  for (let frameBytes = offset; frameBytes < offset + length; frameBytes += 1)
    sum += Math.abs(view.getInt16(frameBytes * channels * 2, true));
  return sum;
}

function createNotWavError(reason: string): BadRequestError {
  return new BadRequestError(`The recording cannot be sent: ${reason}.`, {
    code: 'not_wav',
    param: 'audio_url',
  });
}
