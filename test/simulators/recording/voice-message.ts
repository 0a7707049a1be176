import { speakWords } from '../upstream/speech/spelling.ts';

const RATE = 48_000;
/** Discord shows ten points a second, at most 256. */
const POINTS_PER_SECOND = 10;
const MAX_POINTS = 256;

/** The maximum length of one voice message on a page, in characters: about two minutes. */
export const MAX_SPOKEN_CHARACTERS = 1_000;

/** A voice clip as Slack's own recorder makes it: AAC with a video type. The simulated models transcribe its text. */
export async function slackVoiceClip(words: string) {
  const samples = speakWords(words, RATE);
  // The encoders are large and rarely used.
  const { coded } = await import('./encode.ts');
  const content = await coded({ channels: [samples], rate: RATE }, 'aac', 'fastMp4');
  const durationMs = Math.round((samples.length / RATE) * 1_000);
  const clip = { kind: 'slack_audio' as const, durationMs };
  return { name: 'audio_message.m4a', content, mimetype: 'video/mp4', clip };
}

/** A voice message as Discord's own recorder makes it: Opus, with its duration and waveform. */
export async function discordVoiceMessage(words: string) {
  const samples = speakWords(words, RATE);
  const { opusFile, opusPackets } = await import('./encode.ts');
  const content = await opusFile(opusPackets({ channels: [samples], rate: RATE }), 'ogg');
  const sound = { durationSecs: samples.length / RATE, waveform: waveform(samples) };
  return { name: 'voice-message.ogg', content, contentType: 'audio/ogg', ...sound };
}

/** The waveform: a byte per point, base64. */
function waveform(samples: Float32Array): string {
  const count = Math.min(MAX_POINTS, Math.ceil((samples.length / RATE) * POINTS_PER_SECOND));
  const width = Math.floor(samples.length / count);
  const loudest = Array.from({ length: count }, (_, nth) =>
    samples.subarray(nth * width, (nth + 1) * width).reduce((peak, one) => Math.max(peak, Math.abs(one)), 0),
  );
  return Buffer.from(loudest.map((value) => Math.round(255 * Math.min(1, value)))).toString('base64');
}
