import type { Container, Length } from '../thread/events.ts';
import { samplesIn } from '../formats/ogg.ts';
import type { Track } from '../formats/track.ts';
import { lastMoment } from '../formats/webm.ts';

/** Longer ones are forged. */
const MAX_MS = 48 * 3_600_000;
/** So many packets tell the rate of a file: some seconds of sound. */
const SAMPLED_PACKETS = 300;

/** A track, and the bytes that it was found in. */
export type Part = { readonly track: Track; readonly bytes: Uint8Array };

/**
 * Tells how long a recording is that is made of these parts, one behind the other. What a header claims counts; else the
 * moments of its packets, which takes a second for two hours at most; else its size. Undefined where none of these tells.
 * Never rejects.
 */
export async function lengthOf(
  parts: readonly Part[],
  container: Exclude<Container, 'other'>,
): Promise<Length | undefined> {
  const told = await Promise.all(parts.map((part) => toldBy(part, container)));
  if (told.every((ms) => ms !== undefined)) {
    const ms = Math.round(told.reduce((sum, one) => sum + one, 0));
    return ms > 0 && ms <= MAX_MS ? { ms, estimated: false } : undefined;
  }
  const [first] = parts;
  const size = parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const ms = first && (await estimated(first.track, size));
  return ms !== undefined && ms > 0 && ms <= MAX_MS ? { ms, estimated: true } : undefined;
}

/** How long a part is, in ms. Of the two containers that browsers write the end is read here: the demuxer turns in circles at a forged one. */
async function toldBy(
  { track, bytes }: Part,
  container: Exclude<Container, 'other'>,
): Promise<number | undefined> {
  const { claimedMs, source } = track;
  if (claimedMs !== undefined) return claimedMs;
  if (container === 'webm') return lastMoment(bytes);
  if (container === 'ogg') {
    const samples = samplesIn(bytes);
    return samples && (samples * 1_000) / (track.codec === 'opus' ? OPUS_RATE : track.rate);
  }
  const seconds = await source.computeDuration().catch(() => 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined;
}

/** Of Opus the moments are told at this rate, whatever rate it was recorded at (RFC 7845). */
const OPUS_RATE = 48_000;

/** Of a film most bytes are pictures: there its size tells nothing. */
async function estimated({ source, film }: Track, bytes: number): Promise<number | undefined> {
  if (film) return undefined;
  try {
    const { averageBitrate } = await source.computePacketStats(SAMPLED_PACKETS);
    return averageBitrate > 0 ? Math.round((bytes * 8_000) / averageBitrate) : undefined;
  } catch {
    return undefined;
  }
}
