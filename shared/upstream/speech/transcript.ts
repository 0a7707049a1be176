import { isObject, type JsonObject, listOf, numberOf, stringOf } from '../http/json.ts';

/** A word and when it was said, in seconds from the beginning of the recording. */
export type Word = { readonly start: number; readonly end: number; readonly text: string };

export type Transcript = {
  /** In the language spoken; empty when nothing was understood. */
  readonly text: string;
  /** Only when a translation was asked for. */
  readonly translation?: string | undefined;
  /** Empty when the service gave none. */
  readonly words: readonly Word[];
  /** WAV files of the spoken translation, in order; only when it was asked for. */
  readonly audio: readonly Buffer[];
  /** As the service heard it, when it says so. */
  readonly language?: string | undefined;
  readonly requestId?: string | undefined;
};

/** Reads an answer; each of its fields may be null or absent. `start` is where the piece begins in the recording. */
export function transcriptOf(value: JsonObject, start: number, requestId: string | undefined): Transcript {
  const audio = stringOf(value['audio_base64']);
  return {
    text: stringOf(value['transcript']) ?? '',
    translation: stringOf(value['translation']),
    words: listOf(value['transcript_translation_with_timestamp']).flatMap(
      (item) => wordOf(item, start) ?? [],
    ),
    audio: audio === undefined ? [] : [Buffer.from(audio.replace(/^data:[^,]*,/u, ''), 'base64')],
    language: stringOf(value['language']),
    requestId,
  };
}

function wordOf(item: unknown, offset: number): Word | undefined {
  if (!isObject(item)) return undefined;
  const start = numberOf(item['start']);
  const end = numberOf(item['end']);
  const text = item['transcript'];
  if (start === undefined || end === undefined || typeof text !== 'string') return undefined;
  return { start: start + offset, end: end + offset, text };
}

/** The transcripts of a recording's pieces as one. */
export function joinTranscripts(pieces: readonly Transcript[]): Transcript {
  const [only, ...more] = pieces;
  if (only !== undefined && more.length === 0) return only;
  const translations = pieces.flatMap(({ translation }) => translation ?? []);
  return {
    text: words(pieces.map(({ text }) => text)),
    translation: translations.length > 0 ? words(translations) : undefined,
    words: pieces.flatMap((piece) => piece.words),
    audio: pieces.flatMap(({ audio }) => audio),
    language: pieces.find(({ language }) => language !== undefined)?.language,
    requestId: pieces.at(-1)?.requestId,
  };
}

function words(texts: readonly string[]): string {
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join(' ');
}
