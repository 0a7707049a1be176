import type { Card, CardPart, UserId } from '../../domain/index.ts';
import { getTranscriptText } from '../../transcript/index.ts';
import type { RecordingDuration } from '../../media/index.ts';
import type { StoredChunk, RecordingRef } from '../../storage/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { TRANSCRIBE_MENU_COMMAND } from '../command-names.ts';
import { formatDuration, note, quote, toRecordingArgs } from '../cards.ts';

/** Longest transcript on a progress card, in characters. */
const MAX_SHOWN_CHARS = 2_200;

/** A transcription in progress that its requester may stop. */
export type Stoppable = { readonly ref: RecordingRef; readonly requestedBy: UserId };

/** The card while a recording is downloaded or waits. */
export const waitingCard = (words: string, stoppable: Stoppable, locale: Locale): Card =>
  workingCard([note(words), stopControl(stoppable, locale)]);

/** The card with the transcript so far and the progress. */
export function progressCard(
  chunks: readonly StoredChunk[],
  duration: RecordingDuration | undefined,
  stoppable: Stoppable,
  locale: Locale,
): Card {
  const progress = progressText(chunks.at(-1)?.toMs ?? 0, duration, locale);
  return workingCard([...newestText(chunks), note(progress), stopControl(stoppable, locale)]);
}

/** The card after Stop was clicked, until the worker stops. */
export const stoppingCard = (chunks: readonly StoredChunk[], locale: Locale): Card =>
  workingCard([...newestText(chunks), note(localize(locale, 'voice.stopping'))]);

/** The card of a recording that was stopped before anything was transcribed. */
export function stoppedCard(user: UserId, locale: Locale): Card {
  const markdown = localize(locale, 'voice.stopped-before', { user, command: continueCommand(locale) });
  return { parts: [{ kind: 'text', markdown, people: [user] }] };
}

/** The note below the transcript of a recording that was stopped after `doneMs`: by whom, where, and how to continue. */
export function stoppedNote(
  user: UserId,
  doneMs: number,
  duration: RecordingDuration | undefined,
  locale: Locale,
): CardPart {
  const facts = { done: formatDuration(doneMs), user, command: continueCommand(locale) };
  const markdown =
    duration && duration.ms >= doneMs
      ? localize(locale, 'voice.partial.stopped', { ...facts, length: durationText(duration, locale) })
      : localize(locale, 'voice.partial.stopped-somewhere', facts);
  return { kind: 'note', markdown, people: [user] };
}

/** The message menu command that continues a stopped transcription. */
const continueCommand = (locale: Locale): string => TRANSCRIBE_MENU_COMMAND[locale];

function stopControl({ ref, requestedBy: wantedBy }: Stoppable, locale: Locale): CardPart {
  const action = { name: 'voice.stop', args: [...toRecordingArgs(ref), wantedBy] };
  const label = localize(locale, 'answers.button.stop');
  return { kind: 'controls', controls: [{ kind: 'button', label, style: 'danger', action }] };
}

/** The end of the transcript so far: the part that readers have not read yet. */
function newestText(chunks: readonly StoredChunk[]): CardPart[] {
  const words = getTranscriptText(chunks);
  const newest =
    words.length > MAX_SHOWN_CHARS
      ? `…${words.slice(1 - MAX_SHOWN_CHARS).replace(/^\p{Surrogate}/u, '')}`
      : words;
  return words === '' ? [] : [quote(newest, 1)];
}

/** How much of a recording is transcribed, and its length if it is known or estimated. */
function progressText(doneMs: number, duration: RecordingDuration | undefined, locale: Locale): string {
  const done = formatDuration(doneMs);
  if (!duration || duration.ms < doneMs)
    return doneMs === 0
      ? localize(locale, 'voice.writing-unknown')
      : localize(locale, 'voice.writing-so-far', { done });
  const length = durationText(duration, locale);
  return doneMs === 0
    ? localize(locale, 'voice.writing', { length })
    : localize(locale, 'voice.writing-part', { done, length });
}

function durationText({ ms, estimated }: RecordingDuration, locale: Locale): string {
  const length = formatDuration(ms);
  return estimated ? localize(locale, 'voice.about-length', { length }) : length;
}

const workingCard = (parts: readonly CardPart[]): Card => ({ tone: 'working', parts });
