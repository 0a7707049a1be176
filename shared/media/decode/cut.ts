import { RATE } from '../formats/wav.ts';

/** A stretch of sound between two quiet moments: `from` is its first sample's place in the recording. */
export type Stretch = { readonly from: number; readonly samples: Int16Array };

/** Loudness is looked at in frames of 20 ms. */
const FRAME = RATE / 50;
const frames = (seconds: number): number => (seconds * RATE) / FRAME;
/** A piece ends between these: long enough to be worth a request, short enough for the models' default answers. */
const MIN = frames(20);
const MAX = frames(30);
/** The window whose quietest place is the cut. */
const WINDOW = frames(0.3);
/** Below this (RMS of 16 bits, -60 dB) nobody speaks, not even on a bad microphone. */
const SILENT = 33;
/** A silence this long ends a piece early and is left out, save for the margin before what may come. */
const PAUSE = frames(5);
/** What is kept of a silence before and after sound: the soft beginnings and ends of words. */
const MARGIN = frames(0.3);

/** Before the sound that is held: its place in the recording, its length, how many stretches were given before it. */
const PLACES = 3 * Int32Array.BYTES_PER_ELEMENT;

/** Memory in which a cutter holds its sound, so that whoever outlives its thread can see it. */
export const newHold = (): SharedArrayBuffer => new SharedArrayBuffer(PLACES + MAX * FRAME * 2);

/** What a cutter held: the sound since its last cut, that sound's place, and how many stretches the cutter had given. */
export function heldIn(hold: SharedArrayBuffer): Stretch & { readonly given: number } {
  const [from = 0, length = 0, given = 0] = new Int32Array(hold, 0, 3);
  return { from, samples: new Int16Array(hold, PLACES).slice(0, length), given };
}

/** Whether a cutter was given no sound at all. */
export function nothingIn(hold: SharedArrayBuffer): boolean {
  const { from, samples } = heldIn(hold);
  return from + samples.length === 0;
}

/**
 * Cuts sound at its quietest moments, as it comes, and leaves silence out. No sample is in two stretches, and none that
 * is not silent is left out. Holds 30 s at most.
 */
export class Cutter {
  /** Sound since the last cut. */
  readonly #held: Int16Array;
  readonly #places: Int32Array;
  /** The square mean of each whole frame in `#held`. */
  #loud: number[] = [];
  /** The frame after the last one that is not silent; 0 while there is none. */
  #voiced = 0;

  constructor(hold = newHold()) {
    this.#held = new Int16Array(hold, PLACES);
    this.#places = new Int32Array(hold, 0, 3);
  }

  /** Place of the first sample held, in the recording. */
  get #from(): number {
    return this.#places[0] ?? 0;
  }

  get #length(): number {
    return this.#places[1] ?? 0;
  }

  set #length(length: number) {
    this.#places[1] = length;
  }

  /** How much was pushed, in samples. */
  get position(): number {
    return this.#from + this.#length;
  }

  *push(samples: Int16Array): Generator<Stretch> {
    let at = 0;
    while (at < samples.length) {
      // Frame by frame, so that where pieces end does not depend on how the sound came in.
      const room = FRAME - (this.#length % FRAME);
      const part = samples.subarray(at, at + room);
      this.#held.set(part, this.#length);
      this.#length += part.length;
      at += part.length;
      if (part.length === room) yield* this.#frame();
    }
  }

  *end(): Generator<Stretch> {
    if (this.#length % FRAME !== 0) this.#measure(this.#length - (this.#length % FRAME), this.#length);
    yield* this.#take(this.#loud.length);
  }

  *#frame(): Generator<Stretch> {
    this.#measure(this.#length - FRAME, this.#length);
    const count = this.#loud.length;
    if (this.#voiced === 0) {
      if (count > MARGIN) this.#drop(count - MARGIN);
    } else if (count - this.#voiced >= PAUSE) {
      yield* this.#take(count - MARGIN);
    } else if (count === MAX) {
      yield* this.#take(this.#quietest());
    }
  }

  #measure(from: number, to: number): void {
    let sum = 0;
    for (let n = from; n < to; n += 1) sum += (this.#held[n] ?? 0) ** 2;
    this.#loud.push(sum / (to - from));
    if (sum / (to - from) > SILENT ** 2) this.#voiced = this.#loud.length;
  }

  /** The frame in the middle of the quietest window. The latest of those equally quiet: fewer pieces. */
  #quietest(): number {
    let best = { sum: Infinity, at: MAX };
    for (let start = MIN; start + WINDOW <= MAX; start += 1) {
      const sum = this.#loud.slice(start, start + WINDOW).reduce((total, loud) => total + loud, 0);
      if (sum <= best.sum) best = { sum, at: start + Math.floor(WINDOW / 2) };
    }
    return best.at;
  }

  /** Gives the sound before this frame, without the silence at its end, and goes on with what comes after. */
  *#take(count: number): Generator<Stretch> {
    const voiced = this.#loud.slice(0, count).findLastIndex((loud) => loud > SILENT ** 2) + 1;
    const length = Math.min(this.#length, Math.min(count, voiced + MARGIN) * FRAME);
    const stretch = { from: this.#from, samples: this.#held.slice(0, length) };
    // First: what is given is no longer held.
    this.#drop(count);
    // What was held back behind the cut may be silence again.
    if (this.#voiced === 0 && this.#loud.length > MARGIN) this.#drop(this.#loud.length - MARGIN);
    if (voiced === 0) return;
    this.#places[2] = (this.#places[2] ?? 0) + 1;
    yield stretch;
  }

  #drop(count: number): void {
    const samples = Math.min(this.#length, count * FRAME);
    this.#held.copyWithin(0, samples, this.#length);
    this.#length -= samples;
    this.#places[0] = this.#from + samples;
    this.#loud = this.#loud.slice(count);
    this.#voiced = Math.max(0, this.#voiced - count);
  }
}
