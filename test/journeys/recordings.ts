import { coded, filmed, opusFile, opusPackets } from '../simulators/recording/encode.ts';
import { speakDigits } from '../simulators/upstream/speech/tones.ts';

const RATE = 48_000;

/** Digits as a Slack clip: AAC in M4A, with the names and types that Slack's apps give. */
export async function slackAudioClip(digits: readonly number[]) {
  const samples = speakDigits(digits, { rate: RATE });
  const content = await coded({ channels: [samples], rate: RATE }, 'aac', 'fastMp4');
  const durationMs = Math.round((samples.length / RATE) * 1_000);
  // A Slack voice clip has the type of a video.
  return {
    name: 'Audioclip von Ada.m4a',
    content,
    mimetype: 'video/mp4',
    clip: { kind: 'slack_audio' as const, durationMs },
  };
}

/** Digits in a phone video, after its pictures. */
export async function slackVideoClip(digits: readonly number[]) {
  const sound = { channels: [speakDigits(digits, { rate: RATE })], rate: RATE };
  const content = await filmed(await coded(sound, 'aac', 'mp4'), 'mp4', 'aac');
  return { name: 'IMG_0042.mp4', content, mimetype: 'video/mp4', contentType: 'video/mp4' };
}

/** Digits as a Discord voice message. */
export async function voiceMessage(digits: readonly number[]) {
  const samples = speakDigits(digits, { rate: RATE });
  const content = await opusFile(opusPackets({ channels: [samples], rate: RATE }), 'ogg');
  const sound = { contentType: 'audio/ogg', durationSecs: samples.length / RATE, waveform: 'AAAA' };
  return { files: [{ name: 'voice-message.ogg', content, ...sound }], voice: true };
}

/** Spoken digits, one per so many seconds; each is encoded once. */
export async function longRecording(digits: readonly number[], secondsEach: number): Promise<Uint8Array> {
  const digitSamples = Array.from({ length: 10 }, (_, digit) => {
    const samples = new Float32Array(secondsEach * RATE);
    samples.set(speakDigits([digit], { rate: RATE }));
    return opusPackets({ channels: [samples], rate: RATE });
  });
  return opusFile(
    digits.flatMap((digit) => digitSamples[digit] ?? []),
    'ogg',
  );
}
