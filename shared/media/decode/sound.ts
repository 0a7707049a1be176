import { cutOff } from './cut-off.ts';
import { decode, type Pcm } from './decode.ts';
import { type Container, type MediaEvent, MediaError } from '../thread/events.ts';
import { Collector, type Listen, milliseconds } from '../thread/collect.ts';
import { lengthOf } from './length.ts';
import { int16, mono } from './mix.ts';
import { links } from '../formats/ogg.ts';
import { Resampler } from './resample.ts';
import { looks } from '../formats/detect-format.ts';
import { openTrack, sane, type Track } from '../formats/track.ts';
import { RATE } from '../formats/wav.ts';

/** A hole in the moments of a file that is longer than this, in seconds, is a pause; shorter ones are rounding. */
const HOLE = 0.25;

/**
 * Decodes a recording and cuts it. Throws a MediaError if nothing can be heard of it; what breaks after the first sound
 * ends it as partial. `last` is false throughout: only who sees the next event can tell.
 */
export async function* listen(bytes: Uint8Array, options: Listen): AsyncGenerator<MediaEvent> {
  const container = containerOf(bytes);
  const collector = new Collector(options);
  const state: State = { damaged: cutOff(bytes, container), begun: false, claimedMs: 0 };
  try {
    const parts = container === 'ogg' ? links(bytes) : [bytes];
    for (const part of parts) {
      if (collector.full) break;
      const track = await openTrack(part, container);
      if (!state.begun) yield { type: 'begin', ...(await begun(track, parts, container)) };
      state.begun = true;
      yield* one(track, container, collector, state);
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

/** What is known of a recording before it is decoded; of its parts, this is the first. */
async function begun(first: Track, parts: readonly Uint8Array[], container: Exclude<Container, 'other'>) {
  const opened = parts.map(async (bytes, n) => {
    const track = n === 0 ? first : await openTrack(bytes, container).catch(() => undefined);
    return track && { track, bytes };
  });
  const known = (await Promise.all(opened)).filter((part) => part !== undefined);
  return { container, codec: first.codec, length: await lengthOf(known, container) };
}

async function* one(
  track: Track,
  container: Exclude<Container, 'other'>,
  collector: Collector,
  state: State,
): AsyncGenerator<MediaEvent> {
  const { codec, claimedMs } = track;
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
