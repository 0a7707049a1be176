import { keyAt, pairOf, type Key } from './keys.ts';
import type { Recording } from './wav.ts';
import type { Word } from './words.ts';

// Words as machine-readable sound: each letter is two telephone tones; successive tones differ, so no pauses are
// needed. It survives speech codecs, and is cut where speech is: between words.

const SYMBOLS: readonly Key[] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D'];
const BEGIN: Key = '*';
const END: Key = '#';
/** Each symbol is one of the 13 that differ from the previous one. */
const BASE = SYMBOLS.length - 1;

/** Letters of two symbols; any other is `OTHER` and six more, for its code point. */
const LETTERS = [
  ...Array.from({ length: 94 }, (_, n) => 0x21 + n),
  ...Array.from({ length: 64 }, (_, n) => 0xc0 + n),
]
  .map((code) => String.fromCodePoint(code))
  .concat(Array.from('“”‘’„…–—¿¡'));
const OTHER = BASE * BASE - 1;
const CODE_POINT_SYMBOLS = 6;

const SYMBOL_SECONDS = 0.05;
/** Silence between words, and after a sentence. */
const WORD_GAP_SECONDS = 0.15;
const SENTENCE_GAP_SECONDS = 0.4;
/** Tones fade in and out over this time, to avoid clicks. */
const EDGE_SECONDS = 0.004;
const LOUDNESS = 0.3;

/** A recording of words, which `decodeWords` decodes; at 16 kHz by default. */
export function speakWords(text: string, rate = 16_000): Float32Array {
  const words = text.split(/\s+/u).filter(Boolean);
  const parts = words.map((word) => {
    const gap = /[.!?。！？]["”’)]*$/u.test(word) ? SENTENCE_GAP_SECONDS : WORD_GAP_SECONDS;
    return { keys: keysOf(word), gap: Math.round(gap * rate) };
  });
  const size = Math.round(SYMBOL_SECONDS * rate);
  const before = Math.round(WORD_GAP_SECONDS * rate);
  const samples = new Float32Array(
    parts.reduce((sum, { keys, gap }) => sum + keys.length * size + gap, before),
  );
  let at = before;
  for (const { keys, gap } of parts) {
    for (const key of keys) {
      writeTone(samples.subarray(at, at + size), rate, key);
      at += size;
    }
    at += gap;
  }
  return samples;
}

function writeTone(samples: Float32Array, rate: number, key: Key): void {
  const [low, high] = pairOf(key);
  const edge = EDGE_SECONDS * rate;
  for (let n = 0; n < samples.length; n += 1) {
    const turn = (2 * Math.PI * n) / rate;
    const soft = Math.min(1, n / edge, (samples.length - 1 - n) / edge);
    samples[n] = LOUDNESS * soft * (Math.sin(low * turn) + Math.sin(high * turn));
  }
}

function keysOf(word: string): Key[] {
  const keys: Key[] = [BEGIN];
  let last = -1;
  for (const digit of Array.from(word).flatMap(digitsOf)) {
    last = last < 0 ? digit : (last + 1 + digit) % SYMBOLS.length;
    keys.push(SYMBOLS[last] ?? END);
  }
  return [...keys, END];
}

function digitsOf(letter: string): number[] {
  const index = LETTERS.indexOf(letter);
  if (index >= 0) return [Math.floor(index / BASE), index % BASE];
  const digits: number[] = [];
  for (
    let rest = letter.codePointAt(0) ?? 0;
    digits.length < CODE_POINT_SYMBOLS;
    rest = Math.floor(rest / BASE)
  )
    digits.unshift(rest % BASE);
  return [Math.floor(OTHER / BASE), OTHER % BASE, ...digits];
}

/** The words of a recording that `speakWords` made, with their times; empty for others. */
export function decodeWords(recording: Recording): Word[] {
  const words: Word[] = [];
  let open: { start: number; keys: Key[] } | undefined;
  for (const { key, start, end } of tonesIn(recording)) {
    if (key === BEGIN) open = { start, keys: [] };
    else if (key !== END) open?.keys.push(key);
    else if (open) {
      words.push({ start: open.start, end, transcript: wordOf(open.keys) });
      open = undefined;
    }
  }
  return words.filter(({ transcript }) => transcript !== '');
}

function wordOf(keys: readonly Key[]): string {
  let last = -1;
  const digits = keys.map((key) => {
    const symbol = SYMBOLS.indexOf(key);
    const digit = last < 0 ? symbol : (symbol - last - 1 + SYMBOLS.length) % SYMBOLS.length;
    last = symbol;
    return digit;
  });
  let word = '';
  for (let at = 0; at + 1 < digits.length; at += 2) {
    const letter = (digits[at] ?? 0) * BASE + (digits[at + 1] ?? 0);
    if (letter !== OTHER) {
      word += LETTERS[letter] ?? '';
      continue;
    }
    const code = digits
      .slice(at + 2, at + 2 + CODE_POINT_SYMBOLS)
      .reduce((sum, digit) => sum * BASE + digit, 0);
    word += code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    at += CODE_POINT_SYMBOLS;
  }
  return word;
}

type Tone = { readonly key: Key; readonly start: number; readonly end: number };

/** The length of an analysis window, and the step to the next one (s). */
const WINDOW_SECONDS = 0.03;
const STEP_SECONDS = 0.01;
/** The minimum number of windows of a tone. */
const MIN_WINDOWS = 2;

/** The tones of a recording, in order. A tone with a gap of one window is one tone: none follows itself. */
function* tonesIn({ samples, rate }: Recording): Generator<Tone> {
  const [size, step] = [Math.round(WINDOW_SECONDS * rate), Math.round(STEP_SECONDS * rate)];
  let run: { key: Key; from: number; to: number; windows: number } | undefined;
  const tone = (): Tone | undefined =>
    run && run.windows >= MIN_WINDOWS
      ? { key: run.key, start: round(run.from / rate), end: round((run.to + size) / rate) }
      : undefined;
  for (let at = 0; at + size <= samples.length; at += step) {
    const key = keyAt(samples.subarray(at, at + size), rate);
    if (key === undefined) continue;
    if (run?.key === key && at - run.to < 4 * step) run = { ...run, to: at, windows: run.windows + 1 };
    else {
      const ended = tone();
      if (ended) yield ended;
      run = { key, from: at, to: at, windows: 1 };
    }
  }
  const ended = tone();
  if (ended) yield ended;
}

const round = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;
