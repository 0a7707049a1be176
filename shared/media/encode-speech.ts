import { registerMp3Encoder } from '@mediabunny/mp3-encoder';
import {
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  Mp3OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
} from 'mediabunny';
import OpusScript from 'opusscript';
import { decode } from './decode/decode.ts';
import { MediaError, type Spoken, type SpokenAs } from './thread/events.ts';
import { int16, mono } from './decode/mix.ts';
import { Resampler } from './decode/resample.ts';
import { openTrack } from './formats/track.ts';
import { waveform } from './waveform.ts';

/** Plenty for one voice. */
const OPUS_BITRATE = 32_000;
const MP3_BITRATE = 64_000;
/** What both encoders take: the rate of good speech, and that of a telephone's better half. */
const FINE = 24_000;
const COARSE = 16_000;

/** Makes a file for people out of the WAV that a model spoke. Throws a MediaError if it is none, or holds no sound. */
export async function speak(wav: Uint8Array, as: SpokenAs): Promise<Spoken> {
  const { samples, rate } = await heard(wav);
  if (samples.length === 0) throw new MediaError('empty', 'wav');
  const bytes = await (as === 'ogg' ? opus(samples, rate) : mp3(samples, rate));
  return { bytes, seconds: samples.length / rate, waveform: waveform(samples, rate) };
}

async function heard(wav: Uint8Array): Promise<{ samples: Float32Array; rate: number }> {
  const track = await openTrack(wav, 'wav');
  const rate = track.rate > COARSE ? FINE : COARSE;
  const resampler = new Resampler(track.rate, rate);
  const parts: Float32Array[] = [];
  for await (const { channels } of decode(track)) parts.push(resampler.push(mono(channels)));
  parts.push(resampler.end());
  const samples = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    samples.set(part, at);
    at += part.length;
  }
  return { samples, rate };
}

const FRAMES_PER_SECOND = 50;
/** How far libopus looks ahead, at 48 kHz: what players leave out at the beginning. */
const PRE_SKIP = 312;

async function opus(samples: Float32Array, rate: number): Promise<Uint8Array> {
  const source = new EncodedAudioPacketSource('opus');
  return written(new OggOutputFormat(), source, async () => {
    const encoder = new OpusScript(rate === FINE ? FINE : COARSE, 1, OpusScript.Application.VOIP);
    encoder.setBitrate(OPUS_BITRATE);
    const frame = rate / FRAMES_PER_SECOND;
    const padded = new Int16Array(Math.ceil(samples.length / frame + 1) * frame);
    padded.set(int16(samples));
    const decoderConfig = {
      codec: 'opus',
      sampleRate: 48_000,
      numberOfChannels: 1,
      description: opusHead(rate),
    };
    for (let n = 0; n * frame < padded.length; n += 1) {
      const pcm = Buffer.from(padded.buffer, n * frame * 2, frame * 2);
      const data = new Uint8Array(encoder.encode(pcm, frame));
      const packet = new EncodedPacket(data, 'key', n / FRAMES_PER_SECOND, 1 / FRAMES_PER_SECOND);
      await source.add(packet, n === 0 ? { decoderConfig } : undefined);
    }
    encoder.delete();
  });
}

/** RFC 7845, section 5.1. */
function opusHead(rate: number): Uint8Array {
  const head = new Uint8Array(19);
  const view = new DataView(head.buffer);
  head.set(new TextEncoder().encode('OpusHead'));
  head.set([1, 1], 8);
  view.setUint16(10, PRE_SKIP, true);
  view.setUint32(12, rate, true);
  return head;
}

async function mp3(samples: Float32Array, rate: number): Promise<Uint8Array> {
  registerMp3Encoder();
  const source = new AudioSampleSource({ codec: 'mp3', bitrate: MP3_BITRATE });
  return written(new Mp3OutputFormat(), source, async () => {
    for (let from = 0; from < samples.length; from += rate) {
      const sample = new AudioSample({
        data: samples.slice(from, from + rate),
        format: 'f32-planar',
        numberOfChannels: 1,
        sampleRate: rate,
        timestamp: from / rate,
      });
      await source.add(sample);
      sample.close();
    }
  });
}

async function written(
  format: OutputFormat,
  source: AudioSampleSource | EncodedAudioPacketSource,
  write: () => Promise<void>,
): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  output.addAudioTrack(source);
  await output.start();
  await write();
  await output.finalize();
  return new Uint8Array(target.buffer ?? new ArrayBuffer());
}
