import type { Card, CardPart, UserId } from '../../domain/index.ts';
import type { RecordingDuration } from '../../media/index.ts';
import type { StoredChunk, RecordingRef } from '../../storage/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { TRANSCRIBE_MENU_COMMAND } from '../command-names.ts';
import { lengthText, note, quote } from '../cards.ts';
import { getTranscriptText } from '../../transcript/transcript-text.ts';

/** Of one that is still heard; any more would be cut at its end. */
const MAX_NEW = 2_200;

/** A recording that is being written out for somebody, who may stop that. */
export type Stoppable = { readonly ref: RecordingRef; readonly wantedBy: UserId };

/** Nothing new is heard of it just now: it is fetched, or waits. */
export const waitingCard = (words: string, stoppable: Stoppable, locale: Locale): Card =>
  working([note(words), stopControl(stoppable, locale)]);

/** The text so far, and how far that is. */
export function progressCard(
  heard: readonly StoredChunk[],
  whole: RecordingDuration | undefined,
  stoppable: Stoppable,
  locale: Locale,
): Card {
  const far = howFar(heard.at(-1)?.toMs ?? 0, whole, locale);
  return working([...newestWords(heard), note(far), stopControl(stoppable, locale)]);
}

/** The text so far, once Stop was pressed: until whoever writes it out has noticed. */
export const stoppingCard = (heard: readonly StoredChunk[], locale: Locale): Card =>
  working([...newestWords(heard), note(localize(locale, 'voice.stopping'))]);

/** It was stopped before there was anything to show. */
export function stoppedCard(user: UserId, locale: Locale): Card {
  const markdown = localize(locale, 'voice.stopped-before', { user, command: goOn(locale) });
  return { parts: [{ kind: 'text', markdown, people: [user] }] };
}

/** Below the words of a recording that was stopped after `doneMs`: by whom, where, and how to go on. */
export function stoppedNote(
  user: UserId,
  doneMs: number,
  whole: RecordingDuration | undefined,
  locale: Locale,
): CardPart {
  const facts = { done: lengthText(doneMs), user, command: goOn(locale) };
  const markdown =
    whole && whole.ms >= doneMs
      ? localize(locale, 'voice.partial.stopped', { ...facts, length: wholeText(whole, locale) })
      : localize(locale, 'voice.partial.stopped-somewhere', facts);
  return { kind: 'note', markdown, people: [user] };
}

/** The command of the message's menu that goes on with it. */
const goOn = (locale: Locale): string => TRANSCRIBE_MENU_COMMAND[locale];

function stopControl({ ref: { message, file }, wantedBy }: Stoppable, locale: Locale): CardPart {
  const action = { name: 'voice.stop', args: [message, file, wantedBy] };
  const label = localize(locale, 'answers.button.stop');
  return { kind: 'controls', controls: [{ kind: 'button', label, style: 'danger', action }] };
}

/** Of a long one what came last: that is what whoever watches has not read yet. */
function newestWords(heard: readonly StoredChunk[]): CardPart[] {
  const words = getTranscriptText(heard);
  const newest =
    words.length > MAX_NEW ? `…${words.slice(1 - MAX_NEW).replace(/^\p{Surrogate}/u, '')}` : words;
  return words === '' ? [] : [quote(newest, 1)];
}

/** How much of a recording is written out, of how much: that is left out where it is not known, and marked where it is estimated. */
function howFar(doneMs: number, whole: RecordingDuration | undefined, locale: Locale): string {
  const done = lengthText(doneMs);
  if (!whole || whole.ms < doneMs)
    return doneMs === 0
      ? localize(locale, 'voice.writing-unknown')
      : localize(locale, 'voice.writing-so-far', { done });
  const length = wholeText(whole, locale);
  return doneMs === 0
    ? localize(locale, 'voice.writing', { length })
    : localize(locale, 'voice.writing-part', { done, length });
}

function wholeText({ ms, estimated }: RecordingDuration, locale: Locale): string {
  const length = lengthText(ms);
  return estimated ? localize(locale, 'voice.about-length', { length }) : length;
}

const working = (parts: readonly CardPart[]): Card => ({ tone: 'working', parts });
