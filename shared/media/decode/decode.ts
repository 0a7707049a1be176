import { AudioSampleSink, EncodedPacketSink } from 'mediabunny';
import { decoderFor } from './decoders.ts';
import type { Track } from '../formats/track.ts';

/** Decoded sound: one array per channel, all of one length. */
export type Pcm = {
  readonly channels: readonly Float32Array[];
  readonly rate: number;
  /** Its moment in the file, in seconds; below 0 for what comes before the beginning and is not to be heard. */
  readonly at: number;
  /** Whether bytes in it were broken. */
  readonly damaged: boolean;
};

/** Enough that a call into a decoder is worth it, little enough that its answer is small: half a second or so. */
const BATCH = 25;

/** Decodes a track from its beginning. Throws whatever demuxer and decoder throw at broken bytes, maybe midway. */
export async function* decode(track: Track): AsyncGenerator<Pcm> {
  if (track.codec === 'pcm-s16') yield* sixteen(track);
  else if (/^(?:pcm-|ulaw$|alaw$)/u.test(track.codec)) yield* plain(track);
  else yield* coded(track);
}

/** Nearly every WAV. The demuxer's own decoder takes three times as long for it, since it knows all other kinds, too. */
async function* sixteen(track: Track): AsyncGenerator<Pcm> {
  for await (const { packets, at } of batches(track)) {
    const samples = sixteenBits(packets);
    const channels = Array.from({ length: track.channels }, (_, n) => channelOf(samples, n, track.channels));
    yield { channels, rate: track.rate, at, damaged: false };
  }
}

/** Copied, so that samples begin at an even place. The low byte comes first, as it does in WAV. */
function sixteenBits(packets: readonly Uint8Array[]): Int16Array {
  const bytes = new Uint8Array(packets.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const packet of packets) {
    bytes.set(packet, at);
    at += packet.length;
  }
  return new Int16Array(bytes.buffer, 0, Math.floor(bytes.length / 2));
}

function channelOf(samples: Int16Array, first: number, channels: number): Float32Array {
  const channel = new Float32Array(Math.floor(samples.length / channels));
  for (let n = 0; n < channel.length; n += 1) channel[n] = (samples[n * channels + first] ?? 0) / 32_768;
  return channel;
}

async function* plain({ source, rate }: Track): AsyncGenerator<Pcm> {
  for await (const sample of new AudioSampleSink(source).samples()) {
    const channels = Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
      const plane = new Float32Array(sample.numberOfFrames);
      sample.copyTo(plane, { planeIndex, format: 'f32-planar' });
      return plane;
    });
    const at = sample.timestamp;
    sample.close();
    yield { channels, rate, at, damaged: false };
  }
}

async function* coded(track: Track): AsyncGenerator<Pcm> {
  const decoder = await decoderFor(track);
  try {
    for await (const { packets, at } of batches(track)) {
      yield { ...(await decoder.decode(packets)), at: at - decoder.before };
    }
  } finally {
    decoder.free();
  }
}

type Batch = { readonly packets: Uint8Array[]; readonly at: number };

async function* batches({ source }: Track): AsyncGenerator<Batch> {
  const sink = new EncodedPacketSink(source);
  let batch: Batch | undefined;
  let fault: { readonly error: unknown } | undefined;
  try {
    // Not `packets`: its queue takes as long again as finding them.
    for (let next = await sink.getFirstPacket(); next !== null; next = await sink.getNextPacket(next)) {
      batch ??= { packets: [], at: next.timestamp };
      batch.packets.push(next.data);
      if (batch.packets.length < BATCH) continue;
      yield batch;
      batch = undefined;
    }
  } catch (error) {
    fault = { error };
  }
  // What came before the bytes broke is sound all the same.
  if (batch) yield batch;
  if (fault) throw fault.error;
}
