import { isInteger, isObject, isText, parseJson } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { badRequest } from '../error-responses.ts';
import { readWav } from './wav.ts';
import type { Recording } from './wav.ts';
import { NUMBERS } from './words.ts';

/** The input: a recording, or only a URL, which is not fetched. */
export type Sound = { readonly recording: Recording | undefined; readonly address: string };

export type SpeechRequest = {
  readonly sound: Sound;
  readonly samplingRate: number;
  /** The language to translate to; undefined for a transcription: both of its fields mark a translation. */
  readonly language: string | undefined;
  readonly wantsAudio: boolean;
  readonly maxTokens: number;
};

/** Checks a transcription request. Throws 400. */
export function readSpeech(text: string, wavOnly: boolean): SpeechRequest {
  const body = parseJson(text)?.value;
  if (!isObject(body)) throw badRequest(null, 'The body must be a JSON object.');
  const samplingRate = readWhole(body, 'sampling_rate', 16_000);
  const temperature = body['temperature'] ?? undefined;
  if (temperature !== undefined && typeof temperature !== 'number') {
    throw badRequest('temperature', 'temperature must be a number.');
  }
  const sound = readSound(body['audio_url'], wavOnly);
  const { recording } = sound;
  if (recording && recording.rate !== samplingRate) {
    throw badRequest(
      'sampling_rate',
      `sampling_rate is ${samplingRate}, and the WAV file has ${recording.rate}.`,
    );
  }
  if (recording && recording.channels !== 1)
    throw badRequest('audio_url', 'The WAV file has more than one channel.');
  const language = readLanguage(body['target_language'] ?? undefined);
  const isTranslate = readFlag(body, 'is_translate');
  return {
    sound,
    samplingRate,
    language: isTranslate ? language : undefined,
    wantsAudio: readFlag(body, 'return_translation_audio'),
    maxTokens: readWhole(body, 'max_tokens', 1024),
  };
}

function readSound(url: unknown, wavOnly: boolean): Sound {
  if (!isText(url)) throw badRequest('audio_url', 'audio_url must be a string.');
  const data = /^data:audio\/wav;base64,/u.exec(url)?.[0];
  if (data === undefined) {
    if (/^https?:\/\/\S+$/u.test(url) && URL.canParse(url)) return { recording: undefined, address: url };
    throw badRequest('audio_url', 'audio_url must be a URL or data:audio/wav;base64,<data>.');
  }
  const encoded = url.slice(data.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/u.test(encoded)) throw badRequest('audio_url', 'audio_url is not base64.');
  const bytes = Buffer.from(encoded, 'base64');
  const recording = readWav(bytes);
  if (wavOnly && !recording)
    throw badRequest('audio_url', 'audio_url holds no WAV file, or not the whole of one.');
  return { recording, address: '' };
}

function readLanguage(language: unknown): string | undefined {
  if (language === undefined) return undefined;
  if (isText(language) && Object.hasOwn(NUMBERS, language)) return language;
  throw badRequest('target_language', `target_language must be one of ${Object.keys(NUMBERS).join(', ')}.`);
}

function readWhole(body: JsonObject, name: string, otherwise: number): number {
  const value = body[name] ?? otherwise;
  if (isInteger(value) && value >= 1) return value;
  throw badRequest(name, `${name} must be a whole number, at least 1.`);
}

function readFlag(body: JsonObject, name: string): boolean {
  const value = body[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw badRequest(name, `${name} must be a boolean.`);
}
