import type { Sentence } from './join.ts';

/** What players and people who edit want at least, in ms: what is shorter cannot be read. */
const MIN_MS = 500;

/** WebVTT, as browsers and players show it (w3.org/TR/webvtt1). */
export function vtt(sentences: readonly Sentence[]): string {
  const cues = sentences.map((sentence) => `${span(sentence, '.')}\n${escaped(sentence.text)}\n`);
  return ['WEBVTT\n', ...cues].join('\n');
}

/** SubRip, as most editors take it. */
export function srt(sentences: readonly Sentence[]): string {
  return sentences
    .map((sentence, n) => `${n + 1}\n${span(sentence, ',')}\n${line(sentence.text)}\n`)
    .join('\n');
}

/** For reading: a line each, with the time at which it begins. */
export function txt(sentences: readonly Sentence[]): string {
  return sentences.map(({ fromMs, text }) => `[${clock(fromMs)}] ${line(text)}\n`).join('');
}

/** A moment of a recording as people write it: `0:07`, `1:02:07`. */
export function clock(ms: number): string {
  const { hours, minutes, seconds } = parts(ms);
  return hours === 0 ? `${minutes}:${two(seconds)}` : `${hours}:${two(minutes)}:${two(seconds)}`;
}

function span({ fromMs, toMs }: Sentence, point: '.' | ','): string {
  const moment = (ms: number): string => {
    const { hours, minutes, seconds, rest } = parts(ms);
    return `${two(hours)}:${two(minutes)}:${two(seconds)}${point}${String(rest).padStart(3, '0')}`;
  };
  return `${moment(fromMs)} --> ${moment(Math.max(toMs, fromMs + MIN_MS))}`;
}

function parts(exact: number): { hours: number; minutes: number; seconds: number; rest: number } {
  const ms = Math.round(exact);
  const seconds = Math.floor(ms / 1000);
  return {
    hours: Math.floor(seconds / 3600),
    minutes: Math.floor(seconds / 60) % 60,
    seconds: seconds % 60,
    rest: ms % 1000,
  };
}

const two = (number: number): string => String(number).padStart(2, '0');
/** An empty line would end the cue; every one of these begins a line for somebody's player. */
const line = (text: string): string => text.replaceAll(/\s*[\n\r\f\v\u0085\u2028\u2029]\s*/gu, ' ');
const escaped = (text: string): string =>
  line(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
