import type { Card, CardFile, CardPart, Control, UserId } from '../../conversation/index.ts';
import { MediaError } from '../../media/index.ts';
import { FileRefused } from '../../platforms/platform.ts';
import type { HeardPiece, RecordingRef } from '../../store/index.ts';
import { type Locale, say } from '../../texts/index.ts';
import { clock } from '../../transcript/index.ts';
import { explain, type Listener } from '../sentences.ts';
import { LANGUAGE_CHOICES, languageIn } from './languages.ts';
import { sentencesOf, textOf, translationOf } from './words.ts';

/**
 * What a card says in all, in characters and bytes, so that the small print below it still has room where a message holds
 * 4,000 (Discord); the rest lies in the files beside it.
 */
const MOST_ON_CARD = 2_600;
const MOST_BYTES = 7_200;

/** Beyond this length, in ms, sentences are told with their times. */
const WITH_TIMES_MS = 60_000;

/** `1:02:03` or `2:05`, to the nearest second. */
export const lengthText = (ms: number): string => clock(ms + 500);

export type Written = {
  readonly ref: RecordingRef;
  readonly by: UserId;
  readonly pieces: readonly HeardPiece[];
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
export function writtenCard(
  { ref, by, pieces, ms, partial, ended, to, summary, files = [], notes = [] }: Written,
  locale: Locale,
): Card {
  const words = ms <= WITH_TIMES_MS ? textOf(pieces) : timed(pieces);
  const translation = to === undefined ? '' : translationOf(pieces);
  const among = [words, translation, summary ?? ''].filter((one) => one !== '').length;
  return {
    by,
    parts: [
      note(lengthText(ms)),
      ...(summary === undefined ? [] : [text(share(summary, among)), DIVIDER]),
      quote(words === '' ? say(locale, 'voice.nothing-said') : words, among),
      ...(translation === ''
        ? []
        : [
            note(say(locale, 'voice.translated', { language: languageIn(locale, to ?? '') })),
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
const timed = (pieces: readonly HeardPiece[]): string =>
  sentencesOf(pieces)
    .map(({ fromMs, text: said }) => `\`${clock(fromMs)}\` ${said}`)
    .join('\n');

/** A recording in somebody's language, for them alone. */
export function translatedCard(
  pieces: readonly HeardPiece[],
  to: string,
  ref: RecordingRef,
  locale: Locale,
): Card {
  const args = [ref.message, ref.file];
  const speak: Control = {
    kind: 'button',
    label: say(locale, 'voice.speak'),
    action: { name: 'voice.speak', args: [...args, to] },
  };
  const other: Control = {
    kind: 'choice',
    label: say(locale, 'voice.translate-to'),
    action: { name: 'voice.translate', args },
    options: LANGUAGE_CHOICES.map((value) => ({ label: languageIn(locale, value), value })),
    chosen: to,
  };
  return {
    parts: [
      note(say(locale, 'voice.translated', { language: languageIn(locale, to) })),
      quote(translationOf(pieces) || textOf(pieces), 1),
      { kind: 'controls', controls: [speak, other] },
    ],
  };
}

export const failedCard = (sentence: string): Card => ({ tone: 'bad', parts: [text(sentence)] });

/** What went wrong at which stage, and what to do; undefined if it is nothing of the recording or the models. */
export function failureOf(error: unknown, doneMs: number, listener: Listener): string | undefined {
  const { locale } = listener;
  if (error instanceof FileRefused)
    return say(locale, 'voice.failed.fetching', { why: say(locale, ...error.why) });
  if (error instanceof MediaError) return say(locale, `voice.failed.${error.kind}`, { what: error.what });
  const failure = explain(error, listener);
  return failure && say(locale, 'voice.failed.writing', { done: lengthText(doneMs), why: failure.sentence });
}

function controls({ message, file }: RecordingRef, locale: Locale): CardPart {
  const args = [message, file];
  return {
    kind: 'controls',
    controls: [
      { kind: 'button', label: say(locale, 'voice.translate'), action: { name: 'voice.translate', args } },
      { kind: 'button', label: say(locale, 'voice.ask'), action: { name: 'voice.ask-form', args } },
    ],
  };
}

function partialWords(partial: string, locale: Locale): string {
  switch (partial) {
    case 'long':
    case 'slow':
    case 'large':
      return say(locale, `voice.partial.${partial}`);
    default:
      return say(locale, 'voice.partial.damaged');
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
  let cut = words.slice(0, Math.floor(MOST_ON_CARD / among));
  const most = Math.floor(MOST_BYTES / among);
  while (Buffer.byteLength(cut) > most) cut = cut.slice(0, Math.floor(cut.length * 0.95));
  return cut.length < words.length ? `${cut.replace(/\p{Surrogate}$/u, '').trimEnd()}…` : words;
}

const DIVIDER: CardPart = { kind: 'divider' };
const text = (markdown: string): CardPart => ({ kind: 'text', markdown });
export const note = (markdown: string): CardPart => ({ kind: 'note', markdown });
