import { BadRequestError, MalformedAnswerError } from '../errors.ts';
import { isObject, type JsonObject, asArray, asNumber, asNonEmptyString } from '../http/json.ts';
import { readWav } from './wav.ts';

/** A word with its start and end, in seconds from the start of the recording. */
export type Word = { readonly start: number; readonly end: number; readonly text: string };

export type Transcript = {
  /** In the spoken language; empty without recognized speech. */
  readonly text: string;
  /** Only when a translation was requested. */
  readonly translation?: string | undefined;
  /** Empty when the service gave none. */
  readonly words: readonly Word[];
  /** WAV files of the spoken translation, in order; only when it was requested. */
  readonly audio: readonly Buffer[];
  /** The spoken language as the service reports it. */
  readonly language?: string | undefined;
  readonly requestId?: string | undefined;
};

/**
 * Parses a response; each field may be null or absent. `start` is the position of the part in the recording. Throws
 * MalformedAnswerError (`not_wav`) for speech that is not a WAV file.
 */
export function parseTranscript(value: JsonObject, start: number, requestId: string | undefined): Transcript {
  const audio = asNonEmptyString(value['audio_base64']);
  return {
    text: asNonEmptyString(value['transcript']) ?? '',
    translation: asNonEmptyString(value['translation']),
    words: asArray(value['transcript_translation_with_timestamp']).flatMap(
      (item) => parseWord(item, start) ?? [],
    ),
    audio: audio === undefined ? [] : [parseSpeech(audio, requestId)],
    language: asNonEmptyString(value['language']),
    requestId,
  };
}

function parseSpeech(base64: string, requestId: string | undefined): Buffer {
  const speech = Buffer.from(base64.replace(/^data:[^,]*,/u, ''), 'base64');
  try {
    readWav(speech);
  } catch (cause) {
    if (!(cause instanceof BadRequestError)) throw cause;
    const facts = { code: 'not_wav', requestId, cause };
    throw new MalformedAnswerError(
      'The speech service sent speech that is not a WAV file of 16 bits.',
      facts,
    );
  }
  return speech;
}

function parseWord(item: unknown, offset: number): Word | undefined {
  if (!isObject(item)) return undefined;
  const start = asNumber(item['start']);
  const end = asNumber(item['end']);
  const text = item['transcript'];
  if (start === undefined || end === undefined || typeof text !== 'string') return undefined;
  return { start: start + offset, end: end + offset, text };
}

/** Joins the transcripts of a recording's parts. */
export function joinTranscripts(parts: readonly Transcript[]): Transcript {
  const [only, ...more] = parts;
  if (only !== undefined && more.length === 0) return only;
  const translations = parts.flatMap(({ translation }) => translation ?? []);
  return {
    text: joinTexts(parts.map(({ text }) => text)),
    translation: translations.length > 0 ? joinTexts(translations) : undefined,
    words: parts.flatMap((part) => part.words),
    audio: parts.flatMap(({ audio }) => audio),
    language: parts.find(({ language }) => language !== undefined)?.language,
    requestId: parts.at(-1)?.requestId,
  };
}

function joinTexts(texts: readonly string[]): string {
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join(' ');
}
