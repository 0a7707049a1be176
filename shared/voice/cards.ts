import type { Card, CardFile, CardPart, CardControl, UserId } from '../domain/index.ts';
import { MediaError } from '../media/index.ts';
import { FileUnavailableError } from '../platforms/ports/platform.ts';
import type { StoredChunk, RecordingRef } from '../storage/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import { formatPosition } from '../transcript/index.ts';
import { describeFailure, type MessageRecipient } from '../chat/display/error-messages.ts';
import { LANGUAGE_CHOICES, getLanguageName } from '../i18n/translation-languages.ts';
import { getSentences, getTranscriptText, getTranslation } from '../transcript/transcript-text.ts';

/**
 * What a card says in all, in characters and bytes, so that the small print below it still has room where a message holds
 * 4,000 (Discord); the rest lies in the files beside it.
 */
const MAX_ON_CARD = 2_600;
const MAX_BYTES = 7_200;

/** Beyond this length, in ms, sentences are told with their times. */
const WITH_TIMES_MS = 60_000;

/** `1:02:03` or `2:05`, to the nearest second. */
export const lengthText = (ms: number): string => formatPosition(ms + 500);

export type TranscriptCard = {
  readonly ref: RecordingRef;
  readonly by: UserId;
  readonly pieces: readonly StoredChunk[];
  readonly ms: number;
  readonly partial?: string | undefined;
  /** Said of its end in place of why it is partial. */
  readonly ended?: CardPart | undefined;
  /** The language of `pieces[].translation`. */
  readonly to?: string | undefined;
  readonly summary?: string | undefined;
  /** On the card, for who wants the words elsewhere. */
  readonly files?: readonly CardFile[] | undefined;
  /** Small print: what could not be done, and what is said once in a channel. */
  readonly notes?: readonly string[] | undefined;
};

/** What a recording says, whose it is, and what can be done with it. */
export function transcriptCard(
  { ref, by, pieces, ms, partial, ended, to, summary, files = [], notes = [] }: TranscriptCard,
  locale: Locale,
): Card {
  const words = ms <= WITH_TIMES_MS ? getTranscriptText(pieces) : timed(pieces);
  const translation = to === undefined ? '' : getTranslation(pieces);
  const among = [words, translation, summary ?? ''].filter((one) => one !== '').length;
  return {
    by,
    parts: [
      note(lengthText(ms)),
      ...(summary === undefined ? [] : [text(share(summary, among)), DIVIDER]),
      quote(words === '' ? localize(locale, 'voice.nothing-said') : words, among),
      ...(translation === ''
        ? []
        : [
            note(localize(locale, 'voice.translated', { language: getLanguageName(locale, to ?? '') })),
            quote(translation, among),
          ]),
      ...(ended ? [ended] : partial === undefined ? [] : [note(partialWords(partial, locale))]),
      ...(files.length === 0 ? [] : [{ kind: 'files' as const, files }]),
      ...(words === '' ? [] : [controls(ref, locale)]),
      ...notes.map(note),
    ],
  };
}

/** A sentence a line, with the moment at which it begins. */
const timed = (pieces: readonly StoredChunk[]): string =>
  getSentences(pieces)
    .map(({ fromMs, text: said }) => `\`${formatPosition(fromMs)}\` ${said}`)
    .join('\n');

/** A recording in somebody's language, for them alone. */
export function translatedCard(
  pieces: readonly StoredChunk[],
  to: string,
  ref: RecordingRef,
  locale: Locale,
): Card {
  const args = [ref.message, ref.file];
  const speak: CardControl = {
    kind: 'button',
    label: localize(locale, 'voice.speak'),
    action: { name: 'voice.speak', args: [...args, to] },
  };
  const other: CardControl = {
    kind: 'choice',
    label: localize(locale, 'voice.translate-to'),
    action: { name: 'voice.translate', args },
    options: LANGUAGE_CHOICES.map((value) => ({ label: getLanguageName(locale, value), value })),
    chosen: to,
  };
  return {
    parts: [
      note(localize(locale, 'voice.translated', { language: getLanguageName(locale, to) })),
      quote(getTranslation(pieces) || getTranscriptText(pieces), 1),
      { kind: 'controls', controls: [speak, other] },
    ],
  };
}

export const failedCard = (sentence: string): Card => ({ tone: 'bad', parts: [text(sentence)] });

/** What went wrong at which stage, and what to do; undefined if it is nothing of the recording or the models. */
export function failureOf(error: unknown, doneMs: number, listener: MessageRecipient): string | undefined {
  const { locale } = listener;
  if (error instanceof FileUnavailableError)
    return localize(locale, 'voice.failed.fetching', { why: localize(locale, ...error.why) });
  if (error instanceof MediaError)
    return localize(locale, `voice.failed.${error.kind}`, { what: error.details });
  const failure = describeFailure(error, listener);
  return (
    failure && localize(locale, 'voice.failed.writing', { done: lengthText(doneMs), why: failure.sentence })
  );
}

function controls({ message, file }: RecordingRef, locale: Locale): CardPart {
  const args = [message, file];
  return {
    kind: 'controls',
    controls: [
      {
        kind: 'button',
        label: localize(locale, 'voice.translate'),
        action: { name: 'voice.translate', args },
      },
      { kind: 'button', label: localize(locale, 'voice.ask'), action: { name: 'voice.ask-form', args } },
    ],
  };
}

function partialWords(partial: string, locale: Locale): string {
  switch (partial) {
    case 'long':
    case 'slow':
    case 'large':
      return localize(locale, `voice.partial.${partial}`);
    default:
      return localize(locale, 'voice.partial.damaged');
  }
}

export function quote(words: string, among: number): CardPart {
  const lines = share(words, among)
    .split('\n')
    .map((line) => `> ${line}`);
  return text(lines.join('\n'));
}

/** The beginning of a text that shares a card with others. */
function share(words: string, among: number): string {
  let cut = words.slice(0, Math.floor(MAX_ON_CARD / among));
  const most = Math.floor(MAX_BYTES / among);
  while (Buffer.byteLength(cut) > most) cut = cut.slice(0, Math.floor(cut.length * 0.95));
  return cut.length < words.length ? `${cut.replace(/\p{Surrogate}$/u, '').trimEnd()}…` : words;
}

const DIVIDER: CardPart = { kind: 'divider' };
const text = (markdown: string): CardPart => ({ kind: 'text', markdown });
export const note = (markdown: string): CardPart => ({ kind: 'note', markdown });
