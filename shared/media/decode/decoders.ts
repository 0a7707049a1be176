import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { MPEGDecoder } from 'mpg123-decoder';
import { OpusDecoder } from 'opus-decoder';
import { AacDecoder } from '../aac/index.ts';
import { MediaError } from '../media-events.ts';
import type { Track } from '../formats/track.ts';
import { SAMPLE_RATE } from '../formats/wav.ts';

type DecodedAudio = {
  readonly channels: readonly Float32Array[];
  readonly rate: number;
  readonly damaged: boolean;
};

/** A decoder of one codec. Keeps its state from packet to packet. */
export type Decoder = {
  readonly decode: (packets: Uint8Array[]) => Promise<DecodedAudio>;
  /** Seconds at the start that are decoded but not played. */
  readonly prerollSeconds: number;
  readonly free: () => void;
};

/** Creates the decoder for a track. Throws a MediaError for an unsupported codec. */
export async function createDecoder(track: Track): Promise<Decoder> {
  switch (track.codec) {
    case 'opus':
      return createOpusDecoder(track);
    case 'mp3':
      return createMp3Decoder(track);
    case 'flac':
      return createFlacDecoder(track);
    case 'aac':
      return createAacDecoder(track);
    default:
      throw new MediaError('codec', track.codec);
  }
}

type WasmResult = {
  readonly channelData: Float32Array[];
  readonly samplesDecoded: number;
  readonly sampleRate: number;
  readonly errors: readonly unknown[];
};

function toDecodedAudio(
  { channelData, samplesDecoded, sampleRate, errors }: WasmResult,
  maxChannels = Infinity,
): DecodedAudio {
  const channels = channelData.slice(0, maxChannels).map((channel) => channel.subarray(0, samplesDecoded));
  return { channels, rate: sampleRate, damaged: errors.length > 0 };
}

/** RFC 7845, section 5.1. */
const OPUS_HEAD = { channels: 9, preSkip: 10, family: 18, streams: 19, coupled: 20, mapping: 21 };

/**
 * libopus decodes directly to 16 kHz, in half the time of decoding to 48 kHz and filtering, and stereo directly to mono,
 * which saves one of the two transforms (a mono decoder accepts any packet).
 */
async function createOpusDecoder({ setup, channels }: Track): Promise<Decoder> {
  const hasMapping = (setup[OPUS_HEAD.family] ?? 0) > 0 && setup.length >= OPUS_HEAD.mapping + channels;
  const decoder = new OpusDecoder({
    sampleRate: SAMPLE_RATE,
    channels: hasMapping ? channels : 1,
    streamCount: hasMapping ? (setup[OPUS_HEAD.streams] ?? 1) : 1,
    coupledStreamCount: hasMapping ? (setup[OPUS_HEAD.coupled] ?? 0) : 0,
    channelMappingTable: hasMapping
      ? [...setup.subarray(OPUS_HEAD.mapping, OPUS_HEAD.mapping + channels)]
      : [0],
    preSkip: 0,
  });
  await decoder.ready;
  return {
    decode: async (packets) => toDecodedAudio(decoder.decodeFrames(packets)),
    prerollSeconds: ((setup[OPUS_HEAD.preSkip] ?? 0) + (setup[OPUS_HEAD.preSkip + 1] ?? 0) * 256) / 48_000,
    free: () => decoder.free(),
  };
}

/** Padding at the start, in samples: of LAME, which made most files, and of every decoder. */
const MP3_PREROLL_SAMPLES = 576 + 529;

async function createMp3Decoder({ rate, channels }: Track): Promise<Decoder> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  return {
    // In one call, because each call copies its output twice. The decoder outputs mono as two channels.
    decode: async (packets) => toDecodedAudio(decoder.decode(Buffer.concat(packets)), channels),
    prerollSeconds: MP3_PREROLL_SAMPLES / rate,
    free: () => decoder.free(),
  };
}

async function createFlacDecoder({ setup }: Track): Promise<Decoder> {
  const decoder = new FLACDecoder();
  await decoder.ready;
  // Frames may refer to the file header for rate and depth.
  let header = setup.length > 0 ? [setup] : [];
  return {
    decode: async (packets) => {
      const decoded = toDecodedAudio(await decoder.decodeFrames([...header, ...packets]));
      header = [];
      return decoded;
    },
    prerollSeconds: 0,
    free: () => decoder.free(),
  };
}

/** The highest frequency of a chunk, in Hz. */
const MAX_HZ = SAMPLE_RATE / 2;

/** Broken packets become silence of their length, so that later packets keep their time. */
function createAacDecoder({ setup, codec }: Track): Decoder {
  const decoder = openAacDecoder(setup, codec);
  return {
    decode: async (packets) => {
      let isDamaged = false;
      const samples = new Float32Array(packets.length * AAC_FRAME);
      let at = 0;
      for (const packet of packets) {
        try {
          samples.set(decoder.decode(packet), at);
        } catch {
          isDamaged = true;
        }
        at += decoder.frameLength;
      }
      return { channels: [samples.subarray(0, at)], rate: decoder.rate, damaged: isDamaged };
    },
    prerollSeconds: 0,
    free: () => undefined,
  };
}

const AAC_FRAME = 1024;

function openAacDecoder(setup: Uint8Array, codec: string): AacDecoder {
  try {
    return new AacDecoder(setup, MAX_HZ);
  } catch (error) {
    throw new MediaError('codec', error instanceof Error ? error.message : codec, error);
  }
}
