import { coded, filmed, opusFile, opusPackets } from '../simulators/recording/encode.ts';
import { flacFile, wavFile } from './files.ts';
import { voice } from './signal.ts';

/** The duration of the recordings (s). */
export const SECONDS = 6;

const mono = (rate: number, seconds: number) => ({ channels: [voice(seconds, rate)], rate });
const stereo = (rate: number, seconds: number) => {
  const sound = voice(seconds, rate);
  return { channels: [sound, sound.map((sample) => sample / 2)], rate };
};
const opus = (seconds: number, channels = 1) =>
  opusPackets(channels === 1 ? mono(48_000, seconds) : stereo(48_000, seconds));

/** ID3v2.4: the length of its 300 bytes in four times seven bits. */
const ID3_TAG = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x02\x2c', 'latin1'), Buffer.alloc(300)]);

/** Recordings in the formats of people's apps, by their source. */
export const RECORDINGS: Readonly<Record<string, (seconds: number) => Uint8Array | Promise<Uint8Array>>> = {
  'Discord voice message: Ogg Opus': (seconds) => opusFile(opus(seconds), 'ogg'),
  'Ogg Opus, stereo': (seconds) => opusFile(opus(seconds, 2), 'ogg', 2),
  'Slack clip from Firefox: WebM Opus, lengths unknown': (seconds) => opusFile(opus(seconds), 'liveWebm'),
  'WebM Opus': (seconds) => opusFile(opus(seconds), 'webm'),
  'Opus in MP4, in fragments': (seconds) => opusFile(opus(seconds), 'fragmentedMp4'),
  MP3: (seconds) => coded(mono(44_100, seconds), 'mp3', 'mp3'),
  'MP3, stereo': (seconds) => coded(stereo(48_000, seconds), 'mp3', 'mp3', 128_000),
  'Slack clip from a phone: AAC in M4A, its index last': (seconds) =>
    coded(mono(44_100, seconds), 'aac', 'mp4', 128_000),
  'Slack clip from Safari: AAC in MP4, in fragments': (seconds) =>
    coded(mono(48_000, seconds), 'aac', 'fragmentedMp4', 128_000),
  'AAC in MP4, stereo, its index first': (seconds) =>
    coded(stereo(48_000, seconds), 'aac', 'fastMp4', 192_000),
  'AAC in MOV, 16 kHz': (seconds) => coded(mono(16_000, seconds), 'aac', 'mov', 64_000),
  'AAC on its own (ADTS)': (seconds) => coded(mono(48_000, seconds), 'aac', 'adts', 128_000),
  'Slack video clip: AAC behind pictures in MP4': async (seconds) =>
    filmed(await coded(mono(48_000, seconds), 'aac', 'mp4', 128_000), 'mp4', 'aac'),
  'video from a browser: Opus behind pictures in WebM': async (seconds) =>
    filmed(await opusFile(opus(seconds), 'webm'), 'webm', 'opus'),
  FLAC: (seconds) => flacFile(stereo(44_100, seconds)),
  'FLAC behind two ID3 tags': (seconds) => Buffer.concat([ID3_TAG, ID3_TAG, flacFile(mono(44_100, seconds))]),
  'FLAC, 96 kHz': (seconds) => flacFile(mono(96_000, seconds)),
  'WAV, 16 kHz': (seconds) => wavFile(mono(16_000, seconds)),
  'WAV, telephone': (seconds) => wavFile(mono(8_000, seconds), 'u8'),
  'WAV, 44.1 kHz stereo': (seconds) => wavFile(stereo(44_100, seconds)),
  'WAV, 24 bits': (seconds) => wavFile(mono(48_000, seconds), 's24'),
  'WAV, floats at an odd rate': (seconds) => wavFile(mono(22_254, seconds), 'f32'),
  'WAV, 192 kHz': (seconds) => wavFile(mono(192_000, seconds)),
  'WAV, 8 channels': (seconds) =>
    wavFile({ channels: Array.from({ length: 8 }, () => voice(seconds, 32_000)), rate: 32_000 }),
};
