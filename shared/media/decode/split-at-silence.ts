import { SAMPLE_RATE } from '../formats/wav.ts';

/** Audio between two quiet moments; `from` is the position of its first sample in the recording. */
export type AudioSpan = { readonly from: number; readonly samples: Int16Array };

/** Loudness is measured in frames of 20 ms. */
const FRAME_SAMPLES = SAMPLE_RATE / 50;
const toFrames = (seconds: number): number => (seconds * SAMPLE_RATE) / FRAME_SAMPLES;
/** Bounds of a chunk: long enough to justify a request, short enough for the models' default output limits. */
const MIN_FRAMES = toFrames(20);
const MAX_FRAMES = toFrames(30);
/** The chunk ends in the middle of the quietest window of this length. */
const WINDOW_FRAMES = toFrames(0.3);
/** Below this RMS (16 bits, -60 dB) there is no speech, even with a bad microphone. */
const SILENCE_RMS = 33;
/** Silence of this length ends a chunk early and is dropped, except for the margins. */
const PAUSE_FRAMES = toFrames(5);
/** Silence kept before and after audio, for soft starts and ends of words. */
const MARGIN_FRAMES = toFrames(0.3);

/** The header of the buffer: position of its first sample, number of samples, number of chunks emitted so far. */
const HEADER_BYTES = 3 * Int32Array.BYTES_PER_ELEMENT;

/** Creates the shared memory of a splitter, so that its pending audio is readable after its thread ended. */
export const createPendingBuffer = (): SharedArrayBuffer =>
  new SharedArrayBuffer(HEADER_BYTES + MAX_FRAMES * FRAME_SAMPLES * 2);

/** Reads a splitter's pending audio: the samples since the last split, their position, and the number of chunks so far. */
export function readPendingAudio(buffer: SharedArrayBuffer): AudioSpan & { readonly given: number } {
  const [from = 0, length = 0, chunkCount = 0] = new Int32Array(buffer, 0, 3);
  return { from, samples: new Int16Array(buffer, HEADER_BYTES).slice(0, length), given: chunkCount };
}

/** Whether the splitter received no audio at all. */
export function isEmpty(buffer: SharedArrayBuffer): boolean {
  const { from, samples } = readPendingAudio(buffer);
  return from + samples.length === 0;
}

/**
 * Splits audio at its quietest moments and drops silence. No sample is in two chunks, and only silence is dropped. Buffers
 * at most 30 s.
 */
export class SilenceSplitter {
  /** Samples since the last split. */
  readonly #pending: Int16Array;
  readonly #header: Int32Array;
  /** The mean square of each complete frame in `#pending`. */
  #loudness: number[] = [];
  /** The index after the last frame that is not silent; 0 if there is none. */
  #voicedEnd = 0;

  constructor(buffer = createPendingBuffer()) {
    this.#pending = new Int16Array(buffer, HEADER_BYTES);
    this.#header = new Int32Array(buffer, 0, 3);
  }

  /** Position of the first pending sample in the recording. */
  get #from(): number {
    return this.#header[0] ?? 0;
  }

  get #length(): number {
    return this.#header[1] ?? 0;
  }

  set #length(length: number) {
    this.#header[1] = length;
  }

  /** The number of samples pushed. */
  get position(): number {
    return this.#from + this.#length;
  }

  *push(samples: Int16Array): Generator<AudioSpan> {
    let at = 0;
    while (at < samples.length) {
      // Frame by frame, so that the split points do not depend on how the samples were grouped.
      const missing = FRAME_SAMPLES - (this.#length % FRAME_SAMPLES);
      const part = samples.subarray(at, at + missing);
      this.#pending.set(part, this.#length);
      this.#length += part.length;
      at += part.length;
      if (part.length === missing) yield* this.#endFrame();
    }
  }

  *end(): Generator<AudioSpan> {
    if (this.#length % FRAME_SAMPLES !== 0)
      this.#measure(this.#length - (this.#length % FRAME_SAMPLES), this.#length);
    yield* this.#emit(this.#loudness.length);
  }

  *#endFrame(): Generator<AudioSpan> {
    this.#measure(this.#length - FRAME_SAMPLES, this.#length);
    const count = this.#loudness.length;
    if (this.#voicedEnd === 0) {
      if (count > MARGIN_FRAMES) this.#drop(count - MARGIN_FRAMES);
    } else if (count - this.#voicedEnd >= PAUSE_FRAMES) {
      yield* this.#emit(count - MARGIN_FRAMES);
    } else if (count === MAX_FRAMES) {
      yield* this.#emit(this.#findQuietestFrame());
    }
  }

  #measure(from: number, to: number): void {
    let sum = 0;
    for (let n = from; n < to; n += 1) sum += (this.#pending[n] ?? 0) ** 2;
    this.#loudness.push(sum / (to - from));
    if (sum / (to - from) > SILENCE_RMS ** 2) this.#voicedEnd = this.#loudness.length;
  }

  /** Returns the middle frame of the quietest window. Of equally quiet ones the latest, for fewer chunks. */
  #findQuietestFrame(): number {
    let best = { sum: Infinity, at: MAX_FRAMES };
    for (let start = MIN_FRAMES; start + WINDOW_FRAMES <= MAX_FRAMES; start += 1) {
      const sum = this.#loudness.slice(start, start + WINDOW_FRAMES).reduce((total, loud) => total + loud, 0);
      if (sum <= best.sum) best = { sum, at: start + Math.floor(WINDOW_FRAMES / 2) };
    }
    return best.at;
  }

  /** Emits the audio before this frame without the silence at its end, and keeps the rest. */
  *#emit(count: number): Generator<AudioSpan> {
    const voicedEnd = this.#loudness.slice(0, count).findLastIndex((loud) => loud > SILENCE_RMS ** 2) + 1;
    const length = Math.min(this.#length, Math.min(count, voicedEnd + MARGIN_FRAMES) * FRAME_SAMPLES);
    const span = { from: this.#from, samples: this.#pending.slice(0, length) };
    // Dropped before it is emitted, so that emitted audio is never pending.
    this.#drop(count);
    // The audio after the split point may be silence.
    if (this.#voicedEnd === 0 && this.#loudness.length > MARGIN_FRAMES)
      this.#drop(this.#loudness.length - MARGIN_FRAMES);
    if (voicedEnd === 0) return;
    this.#header[2] = (this.#header[2] ?? 0) + 1;
    yield span;
  }

  #drop(count: number): void {
    const samples = Math.min(this.#length, count * FRAME_SAMPLES);
    this.#pending.copyWithin(0, samples, this.#length);
    this.#length -= samples;
    this.#header[0] = this.#from + samples;
    this.#loudness = this.#loudness.slice(count);
    this.#voicedEnd = Math.max(0, this.#voicedEnd - count);
  }
}
