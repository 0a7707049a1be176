import { jsonAnswer } from '../exchange.ts';
import type { SimAnswer } from '../exchange.ts';
import { authenticate } from '../keys.ts';
import { hash } from '../random.ts';
import { setError } from '../refuse.ts';
import type { Call, State } from '../state.ts';
import { tokenize } from '../tokens.ts';
import { readSpeech } from './request.ts';
import type { Sound } from './request.ts';
import { hearDigits, speakDigits } from './tones.ts';
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
  const said = words.map(({ transcript }) => transcript);
  const { language } = request;
  state.metered.push({ at: state.now(), kind: 'speech', user: key.user, what: language ?? 'transcript' });
  return jsonAnswer(200, {
    transcript: tokenize(said.join(' ')).slice(0, request.maxTokens).join(''),
    translation: language === undefined ? null : translate(said, language),
    transcript_translation_with_timestamp: request.sound.recording === undefined ? null : words,
    audio_base64: request.wantsAudio && language !== undefined ? spoken(said) : null,
  });
}

/** Tones are digits; other sound is filler as long as it lasts; silence is nothing. */
function wordsIn({ recording, address }: Sound): Word[] {
  if (recording === undefined) {
    if (address === '') return fillerWords(1, 1);
    return [{ start: 0, end: 1, transcript: `A recording from ${new URL(address).host}.` }];
  }
  const digits = hearDigits(recording);
  if (digits.length > 0) {
    const names = NUMBERS['english'] ?? [];
    return digits.map(({ digit, start, end }) => ({ start, end, transcript: names[digit] ?? '' }));
  }
  const { samples, rate } = recording;
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  if (loudest < 0.005) return [];
  return fillerWords(samples.length / rate, hash(`${samples.length} ${loudest}`));
}

/** The translation read aloud: numbers as their tones, anything else as the tone of 0. */
function spoken(words: readonly string[]): string {
  const names = NUMBERS['english'] ?? [];
  const digits = words.map((word) => Math.max(0, names.indexOf(word)));
  return writeWav(speakDigits(digits), 16_000).toString('base64');
}
