/** The encoders of test recordings: what apps use, as far as npm has it, and two of our own. */
import { registerAacEncoder } from '@mediabunny/aac-encoder';
import { registerMp3Encoder } from '@mediabunny/mp3-encoder';
import {
  ALL_FORMATS,
  AdtsOutputFormat,
  type AudioCodec,
  AudioSample,
  AudioSampleSource,
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  MovOutputFormat,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
  WebMOutputFormat,
} from 'mediabunny';
import OpusScript from 'opusscript';

registerAacEncoder();
registerMp3Encoder();

export type Sound = { readonly channels: readonly Float32Array[]; readonly rate: number };

const FORMATS = {
  ogg: () => new OggOutputFormat(),
  webm: () => new WebMOutputFormat(),
  /** As browsers write it: without lengths, which are not known yet. */
  liveWebm: () => new WebMOutputFormat({ appendOnly: true }),
  mp4: () => new Mp4OutputFormat({ fastStart: false }),
  fastMp4: () => new Mp4OutputFormat({ fastStart: 'in-memory' }),
  fragmentedMp4: () => new Mp4OutputFormat({ fastStart: 'fragmented' }),
  mov: () => new MovOutputFormat(),
  adts: () => new AdtsOutputFormat(),
  mp3: () => new Mp3OutputFormat(),
} satisfies Record<string, () => OutputFormat>;
export type Format = keyof typeof FORMATS;

/** Audio as Opus in 20 ms packets, as Discord's and Slack's recorders make it. */
export function opusPackets({ channels, rate }: Sound, bitrate = 32_000): Uint8Array[] {
  if (rate !== 48_000) throw new Error('Opus is recorded at 48 kHz here');
  const encoder = new OpusScript(rate, channels.length === 1 ? 1 : 2, OpusScript.Application.AUDIO);
  encoder.setBitrate(bitrate);
  const frame = rate / 50;
  const packets: Uint8Array[] = [];
  for (let from = 0; from < (channels[0]?.length ?? 0); from += frame) {
    const pcm = Buffer.alloc(frame * channels.length * 2);
    for (const [c, channel] of channels.entries()) {
      for (let n = 0; n < frame; n += 1) {
        pcm.writeInt16LE(clip((channel[from + n] ?? 0) * 32_768), (n * channels.length + c) * 2);
      }
    }
    packets.push(new Uint8Array(encoder.encode(pcm, frame)));
  }
  encoder.delete();
  return packets;
}

/** A file of Opus packets with this duration (s). */
export async function opusFile(
  packets: readonly Uint8Array[],
  format: 'ogg' | 'webm' | 'liveWebm' | 'mp4' | 'fragmentedMp4',
  channels = 1,
  seconds = 0.02,
): Promise<Uint8Array> {
  const head = new Uint8Array(19);
  const view = new DataView(head.buffer);
  head.set(new TextEncoder().encode('OpusHead'));
  head.set([1, channels], 8);
  view.setUint16(10, 312, true);
  view.setUint32(12, 48_000, true);
  const source = new EncodedAudioPacketSource('opus');
  const config = { codec: 'opus', sampleRate: 48_000, numberOfChannels: channels, description: head };
  return written(format, source, async () => {
    for (const [n, packet] of packets.entries()) {
      const meta = n === 0 ? { decoderConfig: config } : undefined;
      await source.add(new EncodedPacket(packet, 'key', n * seconds, seconds), meta);
    }
  });
}

/** The encoder delay of FFmpeg's encoder, in samples. */
const AAC_BEFORE = 1024;

/** Audio in a file, encoded by FFmpeg's AAC encoder or by LAME. */
export async function coded(
  sound: Sound,
  codec: AudioCodec & ('aac' | 'mp3'),
  format: Format,
  bitrate = 64_000,
): Promise<Uint8Array> {
  const source = new AudioSampleSource({ codec, bitrate });
  return written(format, source, async () => {
    const block = 4096;
    // The encoder delay is declared as before the start, as recorders do.
    const early = codec === 'aac' && format !== 'adts' ? AAC_BEFORE : 0;
    const length = sound.channels[0]?.length ?? 0;
    for (let from = 0; from < length; from += block) {
      const count = Math.min(block, length - from);
      const data = new Float32Array(count * sound.channels.length);
      for (const [c, channel] of sound.channels.entries())
        data.set(channel.subarray(from, from + count), c * count);
      const sample = new AudioSample({
        data,
        format: 'f32-planar',
        numberOfChannels: sound.channels.length,
        sampleRate: sound.rate,
        timestamp: (from - early) / sound.rate,
      });
      await source.add(sample);
      sample.close();
    }
  });
}

/** A repeated AAC or MP3 recording in another file, since encoding takes most of the time. */
export async function repeated(
  bytes: Uint8Array,
  codec: AudioCodec & ('aac' | 'mp3'),
  format: Format,
  times: number,
): Promise<Uint8Array> {
  const { packets, decoderConfig } = await readPackets(bytes);
  const source = new EncodedAudioPacketSource(codec);
  let timestamp = 0;
  return written(format, source, async () => {
    for (let time = 0; time < times; time += 1) {
      for (const packet of packets) {
        await source.add(packet.clone({ timestamp }), { decoderConfig });
        timestamp += packet.duration;
      }
    }
  });
}

async function readPackets(bytes: Uint8Array) {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const track = await input.getPrimaryAudioTrack();
  const decoderConfig = await track?.getDecoderConfig();
  if (!track || !decoderConfig) throw new Error('no audio to read');
  const packets: EncodedPacket[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) packets.push(packet);
  return { packets, decoderConfig };
}

/** The frames of MP3 files one after the other, without a header that states their number. */
export async function bareMp3(...files: readonly Uint8Array[]): Promise<Uint8Array> {
  const read = await Promise.all(files.map(readPackets));
  return Buffer.concat(read.flatMap(({ packets }) => packets.map(({ data }) => data)));
}

/** A recording as a video: the same audio with pictures that nobody decodes, ten a second. `seconds`: until when there are pictures; default: until the audio ends. */
export async function filmed(
  bytes: Uint8Array,
  format: 'mp4' | 'webm',
  codec: 'aac' | 'opus',
  seconds?: number,
): Promise<Uint8Array> {
  const { packets, decoderConfig } = await readPackets(bytes);
  const [sound, pictures] = [new EncodedAudioPacketSource(codec), new EncodedVideoPacketSource('vp9')];
  const vp9 = { codec: 'vp09.00.10.08', codedWidth: 320, codedHeight: 240 };
  return written(
    format,
    sound,
    async () => {
      for (const packet of packets) await sound.add(packet, { decoderConfig });
      const end = seconds ?? packets.at(-1)?.timestamp ?? 0;
      for (let n = 0; n / 10 < end; n += 1) {
        const picture = new EncodedPacket(new Uint8Array(500).fill(n % 256), 'key', n / 10, 0.1);
        await pictures.add(picture, { decoderConfig: vp9 });
      }
    },
    pictures,
  );
}

async function written(
  format: Format,
  source: AudioSampleSource | EncodedAudioPacketSource,
  write: () => Promise<void>,
  pictures?: EncodedVideoPacketSource,
): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format: FORMATS[format](), target });
  if (pictures) output.addVideoTrack(pictures);
  output.addAudioTrack(source);
  await output.start();
  await write();
  await output.finalize();
  if (!target.buffer) throw new Error('nothing was written');
  return new Uint8Array(target.buffer);
}

// A local copy: globals are slow in the test runner.
const { max, min, round } = Math;
const clip = (value: number): number => max(-32_768, min(32_767, round(value)));
