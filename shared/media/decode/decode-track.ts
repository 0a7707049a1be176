import { AudioSampleSink, EncodedPacketSink } from 'mediabunny';
import { createDecoder } from './decoders.ts';
import type { Track } from '../formats/track.ts';

/** Decoded audio: one array per channel, of equal length. */
export type Pcm = {
  readonly channels: readonly Float32Array[];
  readonly rate: number;
  /** Its time in the file, in seconds; below 0 for pre-roll that must not be played. */
  readonly startSeconds: number;
  /** Whether its bytes were damaged. */
  readonly damaged: boolean;
};

/** Packets per decoder call, about half a second: few calls, and little memory for their results. */
const BATCH_PACKETS = 25;

/** Decodes a track from its start. Throws the errors of demuxer and decoder, possibly midway. */
export async function* decodeTrack(track: Track): AsyncGenerator<Pcm> {
  if (track.codec === 'pcm-s16') yield* decodePcm16(track);
  else if (/^(?:pcm-|ulaw$|alaw$)/u.test(track.codec)) yield* decodePcm(track);
  else yield* decodeCompressed(track);
}

/** 16-bit PCM, as in almost every WAV. The demuxer's generic decoder takes three times as long. */
async function* decodePcm16(track: Track): AsyncGenerator<Pcm> {
  for await (const { packets, startSeconds: at } of readBatches(track)) {
    const samples = toInt16(packets);
    const channels = Array.from({ length: track.channels }, (_, n) =>
      extractChannel(samples, n, track.channels),
    );
    yield { channels, rate: track.rate, startSeconds: at, damaged: false };
  }
}

/** Copies the packets, so that samples are aligned. Little-endian, like WAV. */
function toInt16(packets: readonly Uint8Array[]): Int16Array {
  const bytes = new Uint8Array(packets.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const packet of packets) {
    bytes.set(packet, at);
    at += packet.length;
  }
  return new Int16Array(bytes.buffer, 0, Math.floor(bytes.length / 2));
}

function extractChannel(samples: Int16Array, first: number, channels: number): Float32Array {
  const channel = new Float32Array(Math.floor(samples.length / channels));
  for (let n = 0; n < channel.length; n += 1) channel[n] = (samples[n * channels + first] ?? 0) / 32_768;
  return channel;
}

async function* decodePcm({ source, rate }: Track): AsyncGenerator<Pcm> {
  for await (const sample of new AudioSampleSink(source).samples()) {
    const channels = Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
      const plane = new Float32Array(sample.numberOfFrames);
      sample.copyTo(plane, { planeIndex, format: 'f32-planar' });
      return plane;
    });
    const at = sample.timestamp;
    sample.close();
    yield { channels, rate, startSeconds: at, damaged: false };
  }
}

async function* decodeCompressed(track: Track): AsyncGenerator<Pcm> {
  const decoder = await createDecoder(track);
  try {
    for await (const { packets, startSeconds: at } of readBatches(track)) {
      yield { ...(await decoder.decode(packets)), startSeconds: at - decoder.prerollSeconds };
    }
  } finally {
    decoder.free();
  }
}

type Batch = { readonly packets: Uint8Array[]; readonly startSeconds: number };

async function* readBatches({ source }: Track): AsyncGenerator<Batch> {
  const sink = new EncodedPacketSink(source);
  let batch: Batch | undefined;
  let failure: { readonly error: unknown } | undefined;
  try {
    // Not `packets()`: its queue doubles the time.
    for (let next = await sink.getFirstPacket(); next !== null; next = await sink.getNextPacket(next)) {
      batch ??= { packets: [], startSeconds: next.timestamp };
      batch.packets.push(next.data);
      if (batch.packets.length < BATCH_PACKETS) continue;
      yield batch;
      batch = undefined;
    }
  } catch (error) {
    failure = { error };
  }
  // The packets before the error are valid.
  if (batch) yield batch;
  if (failure) throw failure.error;
}
