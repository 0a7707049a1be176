import {
  ADTS,
  BufferSource,
  FLAC,
  Input,
  type InputAudioTrack,
  type InputFormat,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from 'mediabunny';
import * as v from 'valibot';
import { type Container, MediaError } from '../media-events.ts';
import { hasLengthHeader } from './mp3.ts';

/** The audio track of a file, before decoding. */
export type Track = {
  readonly source: InputAudioTrack;
  readonly codec: string;
  readonly rate: number;
  readonly channels: number;
  /** The codec configuration in the container: OpusHead, AudioSpecificConfig, STREAMINFO. */
  readonly setup: Uint8Array;
  /** The length that the file states, in ms: of this track, in WebM of the whole file. */
  readonly claimedMs?: number | undefined;
  /** Whether the file has a video track. */
  readonly hasVideo: boolean;
};

/** Only the detected container is accepted. Playlists, which refer to other files, are not supported. */
const INPUT_FORMATS: Readonly<Record<Exclude<Container, 'other'>, readonly InputFormat[]>> = {
  ogg: [OGG],
  webm: [WEBM, MATROSKA],
  mp4: [MP4, QTFF],
  mp3: [MP3],
  adts: [ADTS],
  flac: [FLAC],
  wav: [WAVE],
};

/** Plausible values; others are forged. */
const SAMPLE_RATE_BOUNDS = { min: 4_000, max: 192_000 };
const MAX_CHANNELS = 8;

/** The demuxer types this as a browser API, whose types are not available here. */
const decoderConfigSchema = v.object({
  sampleRate: v.number(),
  numberOfChannels: v.number(),
  description: v.optional(v.instance(Uint8Array)),
});

/** Opens the first audio track of a file. Throws a MediaError if there is none or it is implausible. */
export async function openTrack(bytes: Uint8Array, container: Exclude<Container, 'other'>): Promise<Track> {
  const input = new Input({ formats: [...INPUT_FORMATS[container]], source: new BufferSource(bytes) });
  const source = await input.getPrimaryAudioTrack().catch((error: unknown) => {
    throw new MediaError('broken', container, error);
  });
  if (source === null) {
    const videoTrack = await input.getPrimaryVideoTrack().catch(() => null);
    throw new MediaError(videoTrack === null ? 'broken' : 'mute', container);
  }
  const codec = (await source.getCodec()) ?? 'unknown';
  const details = `${container} ${codec}`;
  const decoderConfig: unknown = await source.getDecoderConfig().catch((error: unknown) => {
    throw new MediaError('broken', details, error);
  });
  if (codec === 'unknown' || decoderConfig === null) throw new MediaError('codec', details);
  const {
    sampleRate: rate,
    numberOfChannels: channels,
    description: setup = new Uint8Array(),
  } = v.parse(decoderConfigSchema, decoderConfig);
  requirePlausible(rate, channels, details);
  const hasLength = container !== 'mp3' || hasLengthHeader(bytes);
  const claimedSeconds = hasLength ? await source.getDurationFromMetadata().catch(() => null) : null;
  const videoTrack = await input.getPrimaryVideoTrack().catch(() => null);
  return {
    hasVideo: videoTrack !== null,
    source,
    codec,
    rate,
    channels,
    setup,
    claimedMs: claimedSeconds === null || claimedSeconds <= 0 ? undefined : Math.round(claimedSeconds * 1000),
  };
}

/** Throws a MediaError for an implausible sample rate or number of channels. */
export function requirePlausible(rate: number, channels: number, details: string): void {
  const isImplausible =
    !(rate >= SAMPLE_RATE_BOUNDS.min && rate <= SAMPLE_RATE_BOUNDS.max) ||
    !(channels >= 1 && channels <= MAX_CHANNELS);
  if (isImplausible) throw new MediaError('shape', `${details}, ${channels} channels at ${rate} Hz`);
}
