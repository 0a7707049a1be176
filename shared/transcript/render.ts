import type { Sentence } from './join-chunks.ts';

/** Shorter cues (ms) cannot be read: they last this long, but not beyond the start of the next one. */
const MIN_CUE_MS = 500;

/** Renders WebVTT for browsers and players (w3.org/TR/webvtt1). */
export function renderVtt(sentences: readonly Sentence[]): string {
  const cues = sentences.map(
    (sentence, n) => `${formatSpan(sentence, sentences[n + 1], '.')}\n${escapeHtml(sentence.text)}\n`,
  );
  return ['WEBVTT\n', ...cues].join('\n');
}

/** Renders SubRip for editors. */
export function renderSrt(sentences: readonly Sentence[]): string {
  return sentences
    .map(
      (sentence, n) =>
        `${n + 1}\n${formatSpan(sentence, sentences[n + 1], ',')}\n${toSingleLine(sentence.text)}\n`,
    )
    .join('\n');
}

/** Renders plain text: one sentence per line, with its start time. */
export function renderText(sentences: readonly Sentence[]): string {
  return sentences.map(({ fromMs, text }) => `[${formatPosition(fromMs)}] ${toSingleLine(text)}\n`).join('');
}

/** Formats a position in a recording: `0:07`, `1:02:07`. */
export function formatPosition(ms: number): string {
  const { hours, minutes, seconds } = splitTime(ms);
  return hours === 0
    ? `${minutes}:${twoDigits(seconds)}`
    : `${hours}:${twoDigits(minutes)}:${twoDigits(seconds)}`;
}

function formatSpan({ fromMs, toMs }: Sentence, next: Sentence | undefined, point: '.' | ','): string {
  const formatTime = (ms: number): string => {
    const { hours, minutes, seconds, rest } = splitTime(ms);
    return `${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(seconds)}${point}${String(rest).padStart(3, '0')}`;
  };
  const readableMs = Math.min(fromMs + MIN_CUE_MS, next?.fromMs ?? Infinity);
  // Players ignore a cue that does not end after its start.
  return `${formatTime(fromMs)} --> ${formatTime(Math.max(toMs, readableMs, fromMs + 1))}`;
}

function splitTime(exact: number): { hours: number; minutes: number; seconds: number; rest: number } {
  const ms = Math.round(exact);
  const seconds = Math.floor(ms / 1000);
  return {
    hours: Math.floor(seconds / 3600),
    minutes: Math.floor(seconds / 60) % 60,
    seconds: seconds % 60,
    rest: ms % 1000,
  };
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');
/** An empty line would end the cue, and some players treat each of these characters as a line break. */
const toSingleLine = (text: string): string => text.replaceAll(/\s*[\n\r\f\v\u0085\u2028\u2029]\s*/gu, ' ');
const escapeHtml = (text: string): string =>
  toSingleLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
