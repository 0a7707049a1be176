import { jsonAnswer } from '../exchange.ts';
import type { SimAnswer } from '../exchange.ts';
import { authenticate } from '../keys.ts';
import { setError } from '../limit-responses.ts';
import type { Call, State } from '../state.ts';
import { tokenize } from '../tokens.ts';
import { readSpeech } from './request.ts';
import type { Sound } from './request.ts';
import { decodeWords, speakWords } from './spelling.ts';
import { decodeDigits, speakDigits } from './tones.ts';
import { writeWav } from './wav.ts';
import { fillerWords, NUMBERS, translate } from './words.ts';
import type { Word } from './words.ts';

/** `POST /v1/transcription_or_translation`. */
export function transcription(state: State, call: Call): SimAnswer {
  const key = authenticate(call.request, 'api-key', state.keys);
  const wrong = setError(call);
  if (wrong !== undefined) return wrong;
  const request = readSpeech(String(call.request.body ?? ''), state.settings.wavOnly);
  const words = wordsIn(request.sound).slice(0, request.maxTokens);
  const transcripts = words.map(({ transcript }) => transcript);
  const { language } = request;
  state.metered.push({ at: state.now(), kind: 'speech', user: key.user, what: language ?? 'transcript' });
  const translation = language === undefined ? null : translate(transcripts, language);
  return jsonAnswer(200, {
    transcript: tokenize(transcripts.join(' ')).slice(0, request.maxTokens).join(''),
    translation,
    transcript_translation_with_timestamp: request.sound.recording === undefined ? null : words,
    audio_base64:
      request.wantsAudio && translation !== null ? translatedWords(transcripts, translation) : null,
  });
}

/**
 * Spelled words are transcribed as such, tones as digits; other sound is reported as not understood; silence is
 * empty.
 */
function wordsIn({ recording, address }: Sound): Word[] {
  if (recording === undefined) {
    if (address === '') return fillerWords(1);
    return [{ start: 0, end: 1, transcript: `A recording from ${new URL(address).host}.` }];
  }
  const words = decodeWords(recording);
  if (words.length > 0) return words;
  const digits = decodeDigits(recording);
  if (digits.length > 0) {
    const names = NUMBERS['english'] ?? [];
    return digits.map(({ digit, start, end }) => ({ start, end, transcript: names[digit] ?? '' }));
  }
  const { samples, rate } = recording;
  const loudest = samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
  if (loudest < 0.005) return [];
  return fillerWords(samples.length / rate);
}

/** The translation as speech that can be transcribed again: numbers as tones, words spelled. */
function translatedWords(words: readonly string[], translation: string): string {
  const names = NUMBERS['english'] ?? [];
  const digits = words.map((word) => names.indexOf(word));
  const samples = digits.includes(-1) ? speakWords(translation) : speakDigits(digits);
  return writeWav(samples, 16_000).toString('base64');
}
