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
import { type Container, MediaError } from '../thread/events.ts';

/** The sound of a file, found but not decoded. */
export type Track = {
  readonly source: InputAudioTrack;
  readonly codec: string;
  readonly rate: number;
  readonly channels: number;
  /** What the container holds for the decoder: OpusHead, AudioSpecificConfig, STREAMINFO. */
  readonly setup: Uint8Array;
  readonly claimedMs?: number | undefined;
  /** There are pictures beside the sound. */
  readonly film: boolean;
};

/** The container that the file's beginning shows and no other: playlists, which name further files, are not among them. */
const FORMATS: Readonly<Record<Exclude<Container, 'other'>, readonly InputFormat[]>> = {
  ogg: [OGG],
  webm: [WEBM, MATROSKA],
  mp4: [MP4, QTFF],
  mp3: [MP3],
  adts: [ADTS],
  flac: [FLAC],
  wav: [WAVE],
};

/** What is within reason; forged headers are not. */
const RATES = { least: 4_000, most: 192_000 };
const MAX_CHANNELS = 8;

/** The demuxer's types are those of a browser, which are not here. */
const config = v.object({
  sampleRate: v.number(),
  numberOfChannels: v.number(),
  description: v.optional(v.instance(Uint8Array)),
});

/** Finds the first sound in a file. Throws a MediaError if there is none, or none that makes sense. */
export async function openTrack(bytes: Uint8Array, container: Exclude<Container, 'other'>): Promise<Track> {
  const input = new Input({ formats: [...FORMATS[container]], source: new BufferSource(bytes) });
  const source = await input.getPrimaryAudioTrack().catch((error: unknown) => {
    throw new MediaError('broken', container, error);
  });
  if (source === null) {
    const film = await input.getPrimaryVideoTrack().catch(() => null);
    throw new MediaError(film === null ? 'broken' : 'mute', container);
  }
  const codec = (await source.getCodec()) ?? 'unknown';
  const what = `${container} ${codec}`;
  const read: unknown = await source.getDecoderConfig().catch((error: unknown) => {
    throw new MediaError('broken', what, error);
  });
  if (codec === 'unknown' || read === null) throw new MediaError('codec', what);
  const {
    sampleRate: rate,
    numberOfChannels: channels,
    description: setup = new Uint8Array(),
  } = v.parse(config, read);
  sane(rate, channels, what);
  const claimed = await source.getDurationFromMetadata().catch(() => null);
  const film = await input.getPrimaryVideoTrack().catch(() => null);
  return {
    film: film !== null,
    source,
    codec,
    rate,
    channels,
    setup,
    claimedMs: claimed === null || claimed <= 0 ? undefined : Math.round(claimed * 1000),
  };
}

/** Throws a MediaError if no recording is like that. */
export function sane(rate: number, channels: number, what: string): void {
  const odd = !(rate >= RATES.least && rate <= RATES.most) || !(channels >= 1 && channels <= MAX_CHANNELS);
  if (odd) throw new MediaError('shape', `${what}, ${channels} channels at ${rate} Hz`);
}
