import { Cutter, heldIn, type Stretch } from '../decode/cut.ts';
import type { MediaEvent, IncompleteReason, Piece } from './events.ts';
import { RATE, wavOf } from '../formats/wav.ts';

export type Listen = {
  /** The first piece wanted; those before it are passed over. */
  readonly from: number;
  /** How much of the recording is decoded, in ms. */
  readonly mostMs: number;
  /** Where the sound lies that is no piece yet: see `newHold`. */
  readonly hold?: SharedArrayBuffer | undefined;
};

/** How often to say how far it is where no piece does, in samples. */
const PROGRESS = 10 * RATE;

export const milliseconds = (samples: number): number => Math.round((samples * 1000) / RATE);

/** Collects what comes out of decoding, and tells of it. */
export class Collector {
  readonly #cutter: Cutter;
  readonly #listen: Listen;
  readonly #most: number;
  #pieces = 0;
  #told = 0;

  constructor(wanted: Listen) {
    this.#listen = wanted;
    this.#cutter = new Cutter(wanted.hold);
    this.#most = Math.round((wanted.mostMs * RATE) / 1000);
  }

  get position(): number {
    return this.#cutter.position;
  }

  get full(): boolean {
    return this.position >= this.#most;
  }

  *push(samples: Int16Array): Generator<MediaEvent> {
    yield* this.#pieced(this.#cutter.push(samples.subarray(0, this.#most - this.position)));
    if (this.position - this.#told < PROGRESS) return;
    this.#told = this.position;
    yield { type: 'progress', ms: milliseconds(this.position) };
  }

  /** Silence up to this place in the recording. */
  *rest(until: number): Generator<MediaEvent> {
    const second = new Int16Array(RATE);
    while (this.position < until && !this.full) yield* this.push(second.subarray(0, until - this.position));
  }

  *end(partial: IncompleteReason | undefined): Generator<MediaEvent> {
    yield* this.#pieced(this.#cutter.end());
    const ms = milliseconds(this.position);
    yield { type: 'end', ms, pieces: this.#pieces, ...(partial && { partial }) };
  }

  *#pieced(stretches: Iterable<Stretch>): Generator<MediaEvent> {
    for (const stretch of stretches) {
      const n = this.#pieces;
      this.#pieces += 1;
      if (n < this.#listen.from) continue;
      this.#told = this.position;
      yield pieceOf(n, stretch);
    }
  }
}

function pieceOf(n: number, { from, samples }: Stretch): Piece {
  const span = { fromMs: milliseconds(from), toMs: milliseconds(from + samples.length) };
  return { type: 'piece', n, wav: wavOf(samples), ...span, last: false };
}

/**
 * The end of a recording whose decoding was given up: what is in the hold becomes the last pieces, save for silence.
 * `first`: as in `Listen.from`.
 */
export function* endOf(
  hold: SharedArrayBuffer,
  first: number,
  partial: IncompleteReason,
): Generator<MediaEvent> {
  const { from, samples, given } = heldIn(hold);
  const cutter = new Cutter();
  const stretches = [...cutter.push(samples), ...cutter.end()];
  for (const [at, stretch] of stretches.entries()) {
    if (given + at >= first) yield pieceOf(given + at, { ...stretch, from: from + stretch.from });
  }
  const ms = milliseconds(from + samples.length);
  yield { type: 'end', ms, pieces: given + stretches.length, partial };
}
