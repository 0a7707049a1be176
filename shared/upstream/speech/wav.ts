import { BadRequestError } from '../errors.ts';

/** PCM sound, 16 bits a sample. */
export type Wav = {
  /** Hz. */
  readonly rate: number;
  readonly channels: number;
  /** The samples, little-endian, channels interleaved. */
  readonly samples: Uint8Array;
};

const HEADER_BYTES = 44;

/** Reads a RIFF WAVE file of 16-bit PCM. Throws BadRequestError (`not_wav`) for anything else. */
export function readWav(bytes: Uint8Array): Wav {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tag = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < HEADER_BYTES || tag(0) !== 'RIFF' || tag(8) !== 'WAVE')
    throw notWav('it is no WAV file');
  let format: { channels: number; rate: number } | undefined;
  for (let at = 12; at + 8 <= bytes.length;) {
    const size = view.getUint32(at + 4, true);
    const body = at + 8;
    if (tag(at) === 'fmt ' && body + 16 <= bytes.length) {
      const pcm = view.getUint16(body, true) === 1 && view.getUint16(body + 14, true) === 16;
      if (!pcm) throw notWav('it is not 16-bit PCM');
      format = { channels: view.getUint16(body + 2, true), rate: view.getUint32(body + 4, true) };
    } else if (tag(at) === 'data') {
      if (format === undefined || format.channels < 1 || format.rate < 1) throw notWav('it names no format');
      // A recorder that streams writes 0 or the largest number: then the rest of the file is sound.
      const end = size === 0 ? bytes.length : Math.min(bytes.length, body + size);
      return { ...format, samples: bytes.subarray(body, end) };
    }
    at = body + size + (size % 2);
  }
  throw notWav('it holds no sound');
}

/** A WAV file of the sound. */
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

/** In seconds. */
export function durationOf({ rate, channels, samples }: Wav): number {
  return samples.length / (rate * channels * 2);
}

/** A part of a recording and where it begins, in seconds. */
export type Piece = { readonly wav: Wav; readonly start: number };

/** The cut is made at the quietest moment of so much sound before the limit. */
const SEARCH_SECONDS = 5;
const WINDOW_SECONDS = 0.05;

/** Cuts a recording into pieces of at most `maxSeconds`, each cut where it is quietest, so that few words are split. */
export function cutWav(wav: Wav, maxSeconds: number): Piece[] {
  const frame = wav.channels * 2;
  const frames = Math.floor(wav.samples.length / frame);
  const most = Math.max(1, Math.floor(maxSeconds * wav.rate));
  const pieces: Piece[] = [];
  for (let from = 0; from < frames || pieces.length === 0;) {
    const rest = frames - from;
    const length = rest <= most ? rest : quietest(wav, from, most) - from;
    const samples = wav.samples.subarray(from * frame, (from + length) * frame);
    pieces.push({ wav: { ...wav, samples }, start: from / wav.rate });
    from += length;
    if (rest <= most) break;
  }
  return pieces;
}

/** The frame at which to cut: the middle of the quietest window in the last seconds before the limit. */
function quietest(wav: Wav, from: number, most: number): number {
  const window = Math.max(1, Math.floor(WINDOW_SECONDS * wav.rate));
  const search = Math.min(Math.floor(most / 2), SEARCH_SECONDS * wav.rate);
  let best = from + most;
  let least = Infinity;
  for (let at = from + most - window; at >= from + most - search; at -= window) {
    const loud = loudness(wav, at, window);
    if (loud >= least) continue;
    least = loud;
    best = at + Math.floor(window / 2);
  }
  return best;
}

function loudness({ samples, channels }: Wav, at: number, length: number): number {
  const view = new DataView(samples.buffer, samples.byteOffset, samples.byteLength);
  let sum = 0;
  for (let frame = at; frame < at + length; frame += 1)
    sum += Math.abs(view.getInt16(frame * channels * 2, true));
  return sum;
}

function notWav(why: string): BadRequestError {
  return new BadRequestError(`The recording cannot be sent: ${why}.`, {
    code: 'not_wav',
    param: 'audio_url',
  });
}
