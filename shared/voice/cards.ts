import {
  type Card,
  type CardFile,
  type CardPart,
  type CardControl,
  type MessageId,
  messageId,
  type PlatformName,
  type Thread,
  type UserId,
} from '../domain/index.ts';
import { formatPosition, getSentences, getTranscriptText, getTranslation } from '../transcript/index.ts';
import { MediaError } from '../media/index.ts';
import { FileUnavailableError } from '../platforms/ports/index.ts';
import { isLong } from './files.ts';
import type { StoredChunk, RecordingRef } from '../storage/index.ts';
import { type Locale, localize, type TextKey, LANGUAGE_CHOICES, getLanguageName } from '../i18n/index.ts';
import { describeFailure, type FailureDescription, type MessageRecipient } from '../chat/index.ts';
import { UpstreamError } from '../upstream/index.ts';

type Room = { readonly characters: number; readonly bytes: number };

/**
 * Limits of the text on a card, in characters and bytes. They leave room for the notes below it in a message of 4,000
 * characters (Discord). The transcript files hold the rest.
 */
const CARD_ROOM: Room = { characters: 2_600, bytes: 7_200 };
/** Limits of the text on an ephemeral card with a translation: it has no files and hardly any notes. */
const TRANSLATION_ROOM: Readonly<Record<PlatformName, Room>> = {
  slack: { characters: 11_000, bytes: Infinity },
  discord: { characters: 3_200, bytes: 8_600 },
};

/** Transcripts of longer recordings (ms) show the time of each sentence. */
const MIN_TIMESTAMPS_MS = 60_000;

/** `1:02:03` or `2:05`, to the nearest second. */
export const formatDuration = (ms: number): string => formatPosition(ms + 500);

export type TranscriptCard = {
  readonly ref: RecordingRef;
  readonly by: UserId;
  readonly chunks: readonly StoredChunk[];
  readonly ms: number;
  readonly partial?: string | undefined;
  /** Shown instead of the reason for `partial`. */
  readonly endNote?: CardPart | undefined;
  /** The language of `chunks[].translation`. */
  readonly to?: string | undefined;
  readonly summary?: string | undefined;
  /** Attached to the card. */
  readonly files?: readonly CardFile[] | undefined;
  /** Notes at the end of the card. */
  readonly notes?: readonly string[] | undefined;
};

type CardTexts = Pick<TranscriptCard, 'chunks' | 'ms' | 'to' | 'summary'>;

/** Returns the texts that share the room of a card; each may be empty. */
const toCardTexts = ({ chunks, ms, to, summary = '' }: CardTexts) => ({
  transcript: ms <= MIN_TIMESTAMPS_MS ? getTranscriptText(chunks) : textWithTimes(chunks),
  translation: to === undefined ? '' : getTranslation(chunks),
  summary,
});

const countTexts = (texts: ReturnType<typeof toCardTexts>): number =>
  Object.values(texts).filter((part) => part !== '').length;

/** Whether the card of a recording shows only the beginning of one of its texts. */
export function isCutOnCard(card: CardTexts): boolean {
  const texts = toCardTexts(card);
  return Object.values(texts).some((one) => shorten(one, countTexts(texts)) !== one);
}

/** Builds the card with the transcript of a recording and the buttons for it. */
export function createTranscriptCard(
  { ref, by, chunks, ms, partial, endNote, to, summary, files = [], notes = [] }: TranscriptCard,
  locale: Locale,
): Card {
  const texts = toCardTexts({ chunks, ms, to, summary });
  const { transcript, translation } = texts;
  const textCount = countTexts(texts);
  return {
    by,
    parts: [
      note(formatDuration(ms)),
      ...(summary === undefined ? [] : [text(shorten(summary, textCount)), DIVIDER]),
      quote(transcript === '' ? localize(locale, 'voice.nothing-said') : transcript, textCount),
      ...(translation === ''
        ? []
        : [
            note(localize(locale, 'voice.translated', { language: getLanguageName(locale, to ?? '') })),
            quote(translation, textCount),
          ]),
      ...(endNote ? [endNote] : partial === undefined ? [] : [note(partialText(partial, locale))]),
      ...(files.length === 0 ? [] : [{ kind: 'files' as const, files }]),
      ...(transcript === '' ? [] : [controls(ref, isLong(ms) || files.length > 0, locale)]),
      ...notes.map(note),
    ],
  };
}

/** Between a message and the root of its conversation, in an argument. */
const ROOT_SEPARATOR = '~';

/**
 * Returns the arguments by which a control of a card names a recording. The root of its conversation is in them only where no message begins
 * it: a recording that came with a command, in the own conversation of a person. Elsewhere the interaction names its thread, or the
 * message begins it.
 */
export const toRecordingArgs = ({ thread: { root }, message, file }: RecordingRef): [string, string] => [
  beginsWithMessage(root) ? message : `${message}${ROOT_SEPARATOR}${root}`,
  file,
];

/** Reads the message and the root of its conversation from the first of these arguments. */
export function parseRecordingPlace(arg: string): Pick<Thread, 'root'> & { readonly message: MessageId } {
  const [message = '', root = message] = arg.split(ROOT_SEPARATOR);
  return { message: messageId(message), root: messageId(root) };
}

/** Whether a conversation begins with a message. The own conversation of a person in a channel of Discord does not. */
export const beginsWithMessage = (root: MessageId): boolean => /^\d/u.test(root);

/** One sentence per line, with its start time. */
const textWithTimes = (chunks: readonly StoredChunk[]): string =>
  getSentences(chunks)
    .map(({ fromMs, text: sentence }) => `\`${formatPosition(fromMs)}\` ${sentence}`)
    .join('\n');

/** Builds the ephemeral card with a translation, for one person. */
export function createTranslatedCard(
  chunks: readonly StoredChunk[],
  to: string,
  ref: RecordingRef,
  locale: Locale,
): Card {
  const args = toRecordingArgs(ref);
  const speak: CardControl = {
    kind: 'button',
    label: localize(locale, 'voice.speak'),
    action: { name: 'voice.speak', args: [...args, to] },
  };
  const translateTo: CardControl = {
    kind: 'choice',
    label: localize(locale, 'voice.translate-to'),
    action: { name: 'voice.translate', args },
    options: LANGUAGE_CHOICES.map((value) => ({ label: getLanguageName(locale, value), value })),
    chosen: to,
  };
  const words = getTranslation(chunks) || getTranscriptText(chunks);
  const room = TRANSLATION_ROOM[ref.thread.platform];
  const isCut = shorten(words, 1, room) !== words;
  return {
    parts: [
      note(localize(locale, 'voice.translated', { language: getLanguageName(locale, to) })),
      quote(words, 1, room),
      ...(isCut ? [note(localize(locale, 'voice.translated-start', { button: speak.label }))] : []),
      { kind: 'controls', controls: [speak, translateTo] },
    ],
  };
}

/** Builds the card of a failure. `details`: what the upstream says about it, see `failureDetails`. */
export const createFailedCard = (sentence: string, details?: string): Card => ({
  tone: 'bad',
  parts: [text(sentence), ...(details === undefined ? [] : [note(details)])],
});

/** Failures for which the text about a question would be wrong: nobody asked one, and none is kept. */
const SPEECH_FAILURES: Readonly<Partial<Record<FailureDescription['reason'], TextKey>>> = {
  'bad-request': 'voice.failed.refused',
  server: 'voice.failed.unavailable',
  connection: 'voice.failed.unavailable',
  timeout: 'voice.failed.unavailable',
  cut: 'voice.failed.unavailable',
};

/**
 * Describes a failure of the download, the media or the model for people; undefined for other errors. `to` is the language of
 * the requested translation: the service may refuse one that it is not known to support.
 */
export function describeTranscriptionFailure(
  error: unknown,
  doneMs: number,
  recipient: MessageRecipient,
  to?: string,
): string | undefined {
  const { locale } = recipient;
  if (error instanceof FileUnavailableError)
    return localize(locale, 'voice.failed.fetching', { why: localize(locale, ...error.why) });
  if (error instanceof MediaError)
    return localize(locale, `voice.failed.${error.kind}`, { what: error.details });
  if (error instanceof UpstreamError && error.kind === 'malformed' && error.code === 'not_wav')
    return localize(locale, 'voice.failed.spoken', { button: localize(locale, 'voice.translate') });
  const failure = describeFailure(error, { ...recipient, service: 'speech' });
  if (failure === undefined) return undefined;
  const key = SPEECH_FAILURES[failure.reason];
  const refusedLanguage = failure.reason === 'bad-request' ? describeUnknownLanguage(to, locale) : undefined;
  const why = refusedLanguage ?? (key === undefined ? failure.sentence : localize(locale, key));
  return doneMs === 0
    ? localize(locale, 'voice.failed.at-start', { why })
    : localize(locale, 'voice.failed.writing', { done: formatDuration(doneMs), why });
}

/** Names the languages that the service is known to support; undefined if `to` is one of them. */
function describeUnknownLanguage(to: string | undefined, locale: Locale): string | undefined {
  const [base = ''] = to?.split('-') ?? [];
  if (to === undefined || LANGUAGE_CHOICES.includes(base)) return undefined;
  const known = LANGUAGE_CHOICES.map((code) => getLanguageName(locale, code));
  const languages = new Intl.ListFormat(locale, { type: 'conjunction' }).format(known);
  return localize(locale, 'voice.failed.language', { language: getLanguageName(locale, to), languages });
}

function controls(ref: RecordingRef, hasFiles: boolean, locale: Locale): CardPart {
  const args = toRecordingArgs(ref);
  const subtitles: CardControl[] = hasFiles
    ? []
    : [
        {
          kind: 'button',
          label: localize(locale, 'voice.subtitles'),
          action: { name: 'voice.subtitles', args },
        },
      ];
  return {
    kind: 'controls',
    controls: [
      {
        kind: 'button',
        label: localize(locale, 'voice.translate'),
        action: { name: 'voice.translate', args },
      },
      { kind: 'button', label: localize(locale, 'voice.ask'), action: { name: 'voice.ask-form', args } },
      ...subtitles,
    ],
  };
}

function partialText(partial: string, locale: Locale): string {
  switch (partial) {
    case 'long':
    case 'slow':
    case 'large':
      return localize(locale, `voice.partial.${partial}`);
    default:
      return localize(locale, 'voice.partial.damaged');
  }
}

export function quote(words: string, textCount: number, room = CARD_ROOM): CardPart {
  const lines = shorten(words, textCount, room)
    .split('\n')
    .map((line) => `> ${line}`);
  return text(lines.join('\n'));
}

/** Cuts a text to its share of a card with `textCount` texts. */
function shorten(words: string, textCount: number, room = CARD_ROOM): string {
  let cut = words.slice(0, Math.floor(room.characters / textCount));
  const maxBytes = Math.floor(room.bytes / textCount);
  while (Buffer.byteLength(cut) > maxBytes) cut = cut.slice(0, Math.floor(cut.length * 0.95));
  return cut.length < words.length ? `${cut.replace(/\p{Surrogate}$/u, '').trimEnd()}…` : words;
}

const DIVIDER: CardPart = { kind: 'divider' };
const text = (markdown: string): CardPart => ({ kind: 'text', markdown });
export const note = (markdown: string): CardPart => ({ kind: 'note', markdown });
