import type { Container, RecordingDuration } from '../media-events.ts';
import { countSamples } from '../formats/ogg.ts';
import type { Track } from '../formats/track.ts';
import { getLastTimestampMs } from '../formats/webm.ts';

/** Longer durations are forged. */
const MAX_MS = 48 * 3_600_000;
/** Packets that are sampled to estimate the bitrate: some seconds of audio. */
const SAMPLED_PACKETS = 300;

/** A track and the bytes that contain it. */
export type RecordingPart = { readonly track: Track; readonly bytes: Uint8Array };

/**
 * Returns the duration of a recording that consists of these parts in sequence: from the headers, else from the packet
 * timestamps (at most a second for two hours of audio), else estimated from the size. Undefined when unknown. Never rejects.
 */
export async function getRecordingDuration(
  parts: readonly RecordingPart[],
  container: Exclude<Container, 'other'>,
): Promise<RecordingDuration | undefined> {
  const partDurations = await Promise.all(parts.map((part) => getPartDuration(part, container)));
  if (partDurations.every((ms) => ms !== undefined)) {
    const ms = Math.round(partDurations.reduce((sum, one) => sum + one, 0));
    return ms > 0 && ms <= MAX_MS ? { ms, estimated: false } : undefined;
  }
  const [first] = parts;
  const size = parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const ms = first && (await estimateDuration(first.track, size));
  return ms !== undefined && ms > 0 && ms <= MAX_MS ? { ms, estimated: true } : undefined;
}

/** Returns the duration of a part in ms. Reads WebM and Ogg itself, because the demuxer loops on a forged end. */
async function getPartDuration(
  { track, bytes }: RecordingPart,
  container: Exclude<Container, 'other'>,
): Promise<number | undefined> {
  const { claimedMs, source } = track;
  if (claimedMs !== undefined) return claimedMs;
  if (container === 'webm') return getLastTimestampMs(bytes);
  if (container === 'ogg') {
    const samples = countSamples(bytes);
    return samples && (samples * 1_000) / (track.codec === 'opus' ? OPUS_RATE : track.rate);
  }
  const seconds = await source.computeDuration().catch(() => 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined;
}

/** Opus timestamps use this rate, whatever rate was recorded (RFC 7845). */
const OPUS_RATE = 48_000;

/** Returns undefined for videos: most of their bytes are not audio. */
async function estimateDuration(
  { source, hasVideo: film }: Track,
  bytes: number,
): Promise<number | undefined> {
  if (film) return undefined;
  try {
    const { averageBitrate } = await source.computePacketStats(SAMPLED_PACKETS);
    return averageBitrate > 0 ? Math.round((bytes * 8_000) / averageBitrate) : undefined;
  } catch {
    return undefined;
  }
}
