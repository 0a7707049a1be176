import { PLATFORM_TRAITS } from '../../../shared/domain/index.ts';
import type { VoiceContext } from '../../../shared/voice/index.ts';
import { iterableOf } from '../../../shared/utils/index.ts';
import type { Media } from '../../../shared/media/index.ts';
import { MalformedAnswerError, readWav, writeWav } from '../../../shared/upstream/index.ts';

/** Joins the chunks of spoken text to one file that the platform plays: a voice message if it has those, otherwise MP3. */
export function createSpeechFileWriter({
  encodeSpeech,
}: Pick<Media, 'encodeSpeech'>): VoiceContext['createVoiceFile'] {
  return async (wavs, platform, words) => {
    const { hasVoiceMessages } = PLATFORM_TRAITS[platform];
    const { bytes, seconds, waveform } = await encodeSpeech(
      joinChunks(wavs),
      hasVoiceMessages ? 'ogg' : 'mp3',
    );
    const content = iterableOf(bytes);
    const file = { bytes: bytes.length, content, words };
    if (!hasVoiceMessages) return { ...file, name: 'voice.mp3', mimetype: 'audio/mpeg' };
    const voice = { seconds, waveform: new Uint8Array(Buffer.from(waveform, 'base64')) };
    return { ...file, name: 'voice-message.ogg', mimetype: 'audio/ogg', voice };
  };
}

/** Joins the chunks in order. Throws MalformedAnswerError for a chunk that has another sample rate than the first. */
function joinChunks(wavs: readonly Uint8Array[]): Uint8Array {
  const parts = wavs.map(readWav);
  const [first] = parts;
  if (!first) return new Uint8Array();
  if (parts.some(({ rate, channels }) => rate !== first.rate || channels !== first.channels)) {
    throw new MalformedAnswerError('The speech service sent speech with different sample rates.', {
      code: 'not_wav',
    });
  }
  return writeWav({ ...first, samples: Buffer.concat(parts.map(({ samples }) => samples)) });
}
