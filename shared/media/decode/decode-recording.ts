import { isTruncated } from './detect-truncation.ts';
import { decodeTrack, type Pcm } from './decode-track.ts';
import { type Container, type MediaEvent, MediaError } from '../media-events.ts';
import { ChunkCollector, type ChunkOptions, toMilliseconds } from './chunk-collector.ts';
import { getRecordingDuration } from './recording-duration.ts';
import { toInt16, mixToMono } from './mix-channels.ts';
import { splitOggStreams } from '../formats/ogg.ts';
import { Resampler } from './resample.ts';
import { detectFormat } from '../formats/detect-format.ts';
import { openTrack, requirePlausible, type Track } from '../formats/track.ts';
import { SAMPLE_RATE } from '../formats/wav.ts';
import { getLastTimestampMs } from '../formats/webm.ts';

/** A longer gap between timestamps, in seconds, is silence; a shorter one is rounding. */
const MIN_GAP_SECONDS = 0.25;

/**
 * Decodes a recording and splits it into chunks. Throws a MediaError if nothing can be decoded; an error after the first
 * audio ends it as partial. `last` is always false here: only the consumer of the next event knows it.
 */
export async function* decodeRecording(bytes: Uint8Array, options: ChunkOptions): AsyncGenerator<MediaEvent> {
  const container = requireContainer(bytes);
  const collector = new ChunkCollector(options);
  const state: DecodeState = { damaged: isTruncated(bytes, container), hasBegun: false, claimedMs: 0 };
  try {
    const parts = container === 'ogg' ? splitOggStreams(bytes) : [bytes];
    for (const part of parts) {
      if (collector.isFull) break;
      const track = await openTrack(part, container);
      if (!state.hasBegun) yield { type: 'begin', ...(await describeRecording(track, parts, container)) };
      state.hasBegun = true;
      noteClaim(track, container, part, state);
      yield* decodePart(track, container, collector, state);
    }
  } catch (error) {
    if (collector.position === 0) throw toMediaError(error, container);
    state.damaged = true;
  }
  if (collector.position === 0) throw new MediaError('broken', container);
  const isDamaged =
    state.damaged || isShorterThanClaimed(state.claimedMs, toMilliseconds(collector.position));
  yield* collector.end(collector.isFull ? 'long' : isDamaged ? 'damaged' : undefined);
}

/** Whether a file holds much less audio than its header claims: it was truncated or the header is wrong. */
const isShorterThanClaimed = (claimedMs: number, ms: number): boolean => ms < claimedMs * 0.95 - 1000;

type DecodeState = { damaged: boolean; hasBegun: boolean; claimedMs: number };

/**
 * Notes the length that the header of a part claims. WebM states one length for the whole file, and the sound of a video may end before
 * its picture, so of a video it is compared with the last block of any track.
 */
function noteClaim(
  { claimedMs = 0, hasVideo }: Track,
  container: Container,
  part: Uint8Array,
  state: DecodeState,
): void {
  if (container !== 'webm' || !hasVideo) state.claimedMs += claimedMs;
  else state.damaged ||= isShorterThanClaimed(claimedMs, getLastTimestampMs(part) ?? claimedMs);
}

/** Returns what is known of a recording before decoding. `first` is the track of its first part. */
async function describeRecording(
  first: Track,
  parts: readonly Uint8Array[],
  container: Exclude<Container, 'other'>,
) {
  const openings = parts.map(async (bytes, n) => {
    const track = n === 0 ? first : await openTrack(bytes, container).catch(() => undefined);
    return track && { track, bytes };
  });
  const openedParts = (await Promise.all(openings)).filter((part) => part !== undefined);
  return { container, codec: first.codec, length: await getRecordingDuration(openedParts, container) };
}

async function* decodePart(
  track: Track,
  container: Exclude<Container, 'other'>,
  collector: ChunkCollector,
  state: DecodeState,
): AsyncGenerator<MediaEvent> {
  const { codec } = track;
  const startPosition = collector.position;
  let resampler: { readonly rate: number; readonly of: Resampler } | undefined;
  for await (const pcm of decodeTrack(track)) {
    state.damaged ||= pcm.damaged;
    if ((pcm.channels[0]?.length ?? 0) === 0) continue;
    requirePlausible(pcm.rate, pcm.channels.length, `${container} ${codec}`);
    if (resampler?.rate !== pcm.rate) resampler = { rate: pcm.rate, of: new Resampler(pcm.rate) };
    if (hasTimestamps(container))
      yield* collector.pushSilence(getPosition(startPosition, pcm.startSeconds, collector.position));
    yield* collector.push(toInt16(resampler.of.push(removePreroll(pcm))));
    if (collector.isFull) return;
  }
  if (resampler) yield* collector.push(toInt16(resampler.of.end()));
}

function requireContainer(bytes: Uint8Array): Exclude<Container, 'other'> {
  const container = detectFormat(bytes);
  if (container === 'empty' || container === 'page' || container === 'unknown')
    throw new MediaError(container);
  return container;
}

/** Whether the container has timestamps that can show gaps. */
const hasTimestamps = (container: Container): boolean => container === 'webm' || container === 'mp4';

/** Returns the position for audio with this timestamp: the current position, unless there is a gap. */
function getPosition(startPosition: number, at: number, position: number): number {
  const place = startPosition + Math.round(at * SAMPLE_RATE);
  return place - position > MIN_GAP_SECONDS * SAMPLE_RATE ? place : position;
}

/** Mixes to mono and drops the pre-roll. */
function removePreroll({ channels, rate, startSeconds: at }: Pcm): Float32Array {
  const all = mixToMono(channels);
  return at < 0 ? all.subarray(Math.min(all.length, Math.round(-at * rate))) : all;
}

function toMediaError(error: unknown, container: Container): MediaError {
  return error instanceof MediaError ? error : new MediaError('broken', container, error);
}
