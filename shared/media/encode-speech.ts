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
import { decodeTrack } from './decode/decode-track.ts';
import { MediaError, type EncodedSpeech, type SpeechFormat } from './media-events.ts';
import { toInt16, mixToMono } from './decode/mix-channels.ts';
import { Resampler } from './decode/resample.ts';
import { openTrack } from './formats/track.ts';
import { createWaveform } from './waveform.ts';

/** Sufficient for one voice. */
const OPUS_BITRATE = 32_000;
const MP3_BITRATE = 64_000;
/** Sample rates that both encoders support. */
const HIGH_RATE = 24_000;
const LOW_RATE = 16_000;

/** Encodes the WAV file of a speech model for people. Throws a MediaError if it is not WAV or has no audio. */
export async function encodeSpeech(wav: Uint8Array, format: SpeechFormat): Promise<EncodedSpeech> {
  const { samples, rate } = await decodeWav(wav);
  if (samples.length === 0) throw new MediaError('empty', 'wav');
  const bytes = await (format === 'ogg' ? encodeOpus(samples, rate) : encodeMp3(samples, rate));
  return { bytes, seconds: samples.length / rate, waveform: createWaveform(samples, rate) };
}

async function decodeWav(wav: Uint8Array): Promise<{ samples: Float32Array; rate: number }> {
  const track = await openTrack(wav, 'wav');
  const rate = track.rate > LOW_RATE ? HIGH_RATE : LOW_RATE;
  const resampler = new Resampler(track.rate, rate);
  const parts: Float32Array[] = [];
  for await (const { channels } of decodeTrack(track)) parts.push(resampler.push(mixToMono(channels)));
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
/** The look-ahead of libopus at 48 kHz, which players skip at the start. */
const PRE_SKIP = 312;

async function encodeOpus(samples: Float32Array, rate: number): Promise<Uint8Array> {
  const source = new EncodedAudioPacketSource('opus');
  return writeOutput(new OggOutputFormat(), source, async () => {
    const encoder = new OpusScript(rate === HIGH_RATE ? HIGH_RATE : LOW_RATE, 1, OpusScript.Application.VOIP);
    encoder.setBitrate(OPUS_BITRATE);
    const frame = rate / FRAMES_PER_SECOND;
    const padded = new Int16Array(Math.ceil(samples.length / frame + 1) * frame);
    padded.set(toInt16(samples));
    const decoderConfig = {
      codec: 'opus',
      sampleRate: 48_000,
      numberOfChannels: 1,
      description: buildOpusHead(rate),
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
function buildOpusHead(rate: number): Uint8Array {
  const head = new Uint8Array(19);
  const view = new DataView(head.buffer);
  head.set(new TextEncoder().encode('OpusHead'));
  head.set([1, 1], 8);
  view.setUint16(10, PRE_SKIP, true);
  view.setUint32(12, rate, true);
  return head;
}

async function encodeMp3(samples: Float32Array, rate: number): Promise<Uint8Array> {
  registerMp3Encoder();
  const source = new AudioSampleSource({ codec: 'mp3', bitrate: MP3_BITRATE });
  return writeOutput(new Mp3OutputFormat(), source, async () => {
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

async function writeOutput(
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
