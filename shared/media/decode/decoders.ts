import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { MPEGDecoder } from 'mpg123-decoder';
import { OpusDecoder } from 'opus-decoder';
import { AacDecoder } from '../aac/index.ts';
import { MediaError } from '../thread/events.ts';
import type { Track } from '../formats/track.ts';
import { RATE } from '../formats/wav.ts';

type Decoded = {
  readonly channels: readonly Float32Array[];
  readonly rate: number;
  readonly damaged: boolean;
};

/** A codec: packets in, sound out. Keeps what goes over from packet to packet. */
export type Decoder = {
  readonly decode: (packets: Uint8Array[]) => Promise<Decoded>;
  /** Seconds at the beginning that are decoded but not to be heard. */
  readonly before: number;
  readonly free: () => void;
};

/** Throws a MediaError for what is not decoded here. */
export async function decoderFor(track: Track): Promise<Decoder> {
  switch (track.codec) {
    case 'opus':
      return opus(track);
    case 'mp3':
      return mp3(track);
    case 'flac':
      return flac(track);
    case 'aac':
      return aac(track);
    default:
      throw new MediaError('codec', track.codec);
  }
}

type WasmAnswer = {
  readonly channelData: Float32Array[];
  readonly samplesDecoded: number;
  readonly sampleRate: number;
  readonly errors: readonly unknown[];
};

function heard({ channelData, samplesDecoded, sampleRate, errors }: WasmAnswer, most = Infinity): Decoded {
  const channels = channelData.slice(0, most).map((channel) => channel.subarray(0, samplesDecoded));
  return { channels, rate: sampleRate, damaged: errors.length > 0 };
}

/** RFC 7845, section 5.1. */
const OPUS_HEAD = { channels: 9, preSkip: 10, family: 18, streams: 19, coupled: 20, mapping: 21 };

/**
 * Opus decodes to 16 kHz by itself, in half the time that decoding to 48 kHz and filtering takes, and stereo to the mean of
 * both channels, which spares one of the two transforms (libopus: a decoder of one channel takes any packet).
 */
async function opus({ setup, channels }: Track): Promise<Decoder> {
  const mapped = (setup[OPUS_HEAD.family] ?? 0) > 0 && setup.length >= OPUS_HEAD.mapping + channels;
  const decoder = new OpusDecoder({
    sampleRate: RATE,
    channels: mapped ? channels : 1,
    streamCount: mapped ? (setup[OPUS_HEAD.streams] ?? 1) : 1,
    coupledStreamCount: mapped ? (setup[OPUS_HEAD.coupled] ?? 0) : 0,
    channelMappingTable: mapped ? [...setup.subarray(OPUS_HEAD.mapping, OPUS_HEAD.mapping + channels)] : [0],
    preSkip: 0,
  });
  await decoder.ready;
  return {
    decode: async (packets) => heard(decoder.decodeFrames(packets)),
    before: ((setup[OPUS_HEAD.preSkip] ?? 0) + (setup[OPUS_HEAD.preSkip + 1] ?? 0) * 256) / 48_000,
    free: () => decoder.free(),
  };
}

/** What LAME puts before the sound, and what every decoder adds to it, in samples. Most files are made by LAME. */
const MP3_BEFORE = 576 + 529;

async function mp3({ rate, channels }: Track): Promise<Decoder> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  return {
    // At once: each call copies what comes out twice. One channel comes out of it as two.
    decode: async (packets) => heard(decoder.decode(Buffer.concat(packets)), channels),
    before: MP3_BEFORE / rate,
    free: () => decoder.free(),
  };
}

async function flac({ setup }: Track): Promise<Decoder> {
  const decoder = new FLACDecoder();
  await decoder.ready;
  // Frames may leave rate and depth to the header of the file.
  let header = setup.length > 0 ? [setup] : [];
  return {
    decode: async (packets) => {
      const decoded = heard(await decoder.decodeFrames([...header, ...packets]));
      header = [];
      return decoded;
    },
    before: 0,
    free: () => decoder.free(),
  };
}

/** What pieces hold, in Hz. */
const HIGHEST = RATE / 2;

/** Packets that are broken are silence of their length, so that all after them is at its moment. */
function aac({ setup, codec }: Track): Decoder {
  const decoder = aacDecoder(setup, codec);
  return {
    decode: async (packets) => {
      let damaged = false;
      const whole = new Float32Array(packets.length * AAC_FRAME);
      let at = 0;
      for (const packet of packets) {
        try {
          whole.set(decoder.decode(packet), at);
        } catch {
          damaged = true;
        }
        at += decoder.frame;
      }
      return { channels: [whole.subarray(0, at)], rate: decoder.rate, damaged };
    },
    before: 0,
    free: () => undefined,
  };
}

const AAC_FRAME = 1024;

function aacDecoder(setup: Uint8Array, codec: string): AacDecoder {
  try {
    return new AacDecoder(setup, HIGHEST);
  } catch (error) {
    throw new MediaError('codec', error instanceof Error ? error.message : codec, error);
  }
}
