import { cutOff } from './cut-off.ts';
import { Cutter, type Stretch } from './cut.ts';
import { decode, type Pcm } from './decode.ts';
import { type Container, type Heard, MediaError, type Partial_ } from './events.ts';
import { int16, mono } from './mix.ts';
import { links } from './ogg.ts';
import { Resampler } from './resample.ts';
import { looks } from './sniff.ts';
import { openTrack, sane } from './track.ts';
import { RATE, wavOf } from './wav.ts';

export type Listen = {
  /** The first piece wanted; those before it are passed over. */
  readonly from: number;
  /** How much of the recording is decoded, in ms. */
  readonly mostMs: number;
};

/** A hole in the moments of a file that is longer than this, in seconds, is a pause; shorter ones are rounding. */
const HOLE = 0.25;
/** How often to say how far it is where no piece does, in samples. */
const PROGRESS = 10 * RATE;

const milliseconds = (samples: number): number => Math.round((samples * 1000) / RATE);

/** Collects what comes out of decoding, and tells of it. */
export class Collector {
  readonly #cutter = new Cutter();
  readonly #listen: Listen;
  readonly #most: number;
  #pieces = 0;
  #told = 0;

  constructor(wanted: Listen) {
    this.#listen = wanted;
    this.#most = Math.round((wanted.mostMs * RATE) / 1000);
  }

  get position(): number {
    return this.#cutter.position;
  }

  get full(): boolean {
    return this.position >= this.#most;
  }

  *push(samples: Int16Array): Generator<Heard> {
    yield* this.#pieced(this.#cutter.push(samples.subarray(0, this.#most - this.position)));
    if (this.position - this.#told < PROGRESS) return;
    this.#told = this.position;
    yield { type: 'progress', ms: milliseconds(this.position) };
  }

  /** Silence up to this place in the recording. */
  *rest(until: number): Generator<Heard> {
    const second = new Int16Array(RATE);
    while (this.position < until && !this.full) yield* this.push(second.subarray(0, until - this.position));
  }

  *end(partial: Partial_ | undefined): Generator<Heard> {
    yield* this.#pieced(this.#cutter.end());
    const ms = milliseconds(this.position);
    yield { type: 'end', ms, pieces: this.#pieces, ...(partial && { partial }) };
  }

  *#pieced(stretches: Iterable<Stretch>): Generator<Heard> {
    for (const { from, samples } of stretches) {
      const n = this.#pieces;
      this.#pieces += 1;
      if (n < this.#listen.from) continue;
      this.#told = this.position;
      const span = { fromMs: milliseconds(from), toMs: milliseconds(from + samples.length) };
      yield { type: 'piece', n, wav: wavOf(samples), ...span, last: false };
    }
  }
}

/**
 * Decodes a recording and cuts it. Throws a MediaError if nothing can be heard of it; what breaks after the first sound
 * ends it as partial. `last` is false throughout: only who sees the next event can tell.
 */
export async function* listen(bytes: Uint8Array, options: Listen): AsyncGenerator<Heard> {
  const container = containerOf(bytes);
  const collector = new Collector(options);
  const state: State = { damaged: cutOff(bytes, container), begun: false, claimedMs: 0 };
  try {
    for (const link of container === 'ogg' ? links(bytes) : [bytes]) {
      if (collector.full) break;
      yield* one(link, container, collector, state);
    }
  } catch (error) {
    if (collector.position === 0) throw asMediaError(error, container);
    state.damaged = true;
  }
  if (collector.position === 0) throw new MediaError('broken', container);
  const damaged = state.damaged || lacks(state.claimedMs, milliseconds(collector.position));
  yield* collector.end(collector.full ? 'long' : damaged ? 'damaged' : undefined);
}

/** Whether a file holds much less than it says: it was cut off, or lies. */
const lacks = (claimedMs: number, ms: number): boolean => ms < claimedMs * 0.95 - 1000;

type State = { damaged: boolean; begun: boolean; claimedMs: number };

async function* one(
  bytes: Uint8Array,
  container: Exclude<Container, 'other'>,
  collector: Collector,
  state: State,
): AsyncGenerator<Heard> {
  const track = await openTrack(bytes, container);
  const { codec, claimedMs } = track;
  if (!state.begun) yield { type: 'begin', container, codec, claimedMs };
  state.begun = true;
  state.claimedMs += claimedMs ?? 0;
  const begin = collector.position;
  let resampler: { readonly rate: number; readonly of: Resampler } | undefined;
  for await (const pcm of decode(track)) {
    state.damaged ||= pcm.damaged;
    if ((pcm.channels[0]?.length ?? 0) === 0) continue;
    sane(pcm.rate, pcm.channels.length, `${container} ${codec}`);
    if (resampler?.rate !== pcm.rate) resampler = { rate: pcm.rate, of: new Resampler(pcm.rate) };
    if (keepsTime(container)) yield* collector.rest(afterHole(begin, pcm.at, collector.position));
    yield* collector.push(int16(resampler.of.push(audible(pcm))));
    if (collector.full) return;
  }
  if (resampler) yield* collector.push(int16(resampler.of.end()));
}

function containerOf(bytes: Uint8Array): Exclude<Container, 'other'> {
  const container = looks(bytes);
  if (container === 'empty' || container === 'page' || container === 'unknown')
    throw new MediaError(container);
  return container;
}

/** Whether a packet's moment says more than how many came before it. */
const keepsTime = (container: Container): boolean => container === 'webm' || container === 'mp4';

/** Where the sound at this moment belongs: where we are, unless there is a hole. */
function afterHole(begin: number, at: number, position: number): number {
  const place = begin + Math.round(at * RATE);
  return place - position > HOLE * RATE ? place : position;
}

/** The one channel, without what lies before the beginning. */
function audible({ channels, rate, at }: Pcm): Float32Array {
  const all = mono(channels);
  return at < 0 ? all.subarray(Math.min(all.length, Math.round(-at * rate))) : all;
}

function asMediaError(error: unknown, container: Container): MediaError {
  return error instanceof MediaError ? error : new MediaError('broken', container, error);
}
