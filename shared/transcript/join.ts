import { endsSentence, glue, widthOf } from './text.ts';

/** A word and when it was said, in seconds. */
export type Word = { readonly start: number; readonly end: number; readonly text: string };

/** What was heard in one piece of a recording. */
export type TranscribedPiece = {
  readonly n: number;
  /** Where the piece lies in the recording. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly text: string;
  /** With times from the beginning of the piece; may be empty. */
  readonly words: readonly Word[];
};

/** A sentence and when it was said, in ms from the beginning of the recording. */
export type Sentence = { readonly fromMs: number; readonly toMs: number; readonly text: string };

/** A sentence that goes on longer is broken between two words: in ms, in letters' width, and where somebody paused. */
const MAX_MS = 15_000;
const MAX_LENGTH = 200;
const PAUSE_MS = 1_200;

/**
 * The text and the sentences of a recording, of its pieces in any order; a piece that was heard twice counts once. The
 * sentences hold the text without loss: with times as close as the words' where there are any, else as the pieces'.
 */
export function joined(pieces: readonly TranscribedPiece[]): {
  readonly text: string;
  readonly sentences: readonly Sentence[];
} {
  const known = new Map(pieces.map((piece) => [piece.n, piece]));
  const inOrder = [...known.values()].toSorted((a, b) => a.n - b.n);
  return {
    text: inOrder.map(({ text }) => text.trim()).reduce(glue, ''),
    sentences: inOrder.flatMap(spoken).reduce<Sentence[]>(grown, []).map(trimmed),
  };
}

/** The parts of a piece's text with their times: a word each, with what stands behind it. */
function spoken({ text, words, fromMs, toMs }: TranscribedPiece): Sentence[] {
  const whole = { fromMs, toMs, text: text.trim() };
  if (whole.text === '') return [];
  const parts = split(whole.text, words);
  if (parts === undefined) return [whole];
  let latest = fromMs;
  return parts.map((part, n) => {
    const { start = 0, end = 0 } = words[n] ?? {};
    // Times that leave their piece, or go back, are mistakes of the model.
    const within = (seconds: number): number =>
      Math.min(toMs, Math.max(latest, fromMs + Math.round(seconds * 1000)));
    const begin = within(start);
    latest = begin;
    const until = within(end);
    latest = until;
    return { fromMs: begin, toMs: until, text: part };
  });
}

/** Cuts a text before each of its words; undefined if they are not in it, one after the other. */
function split(text: string, words: readonly Word[]): string[] | undefined {
  const lower = text.toLowerCase();
  // Some letters change their length with their case.
  const haystack = lower.length === text.length ? lower : text;
  const starts: number[] = [];
  let at = 0;
  for (const word of words) {
    const needle = haystack === text ? word.text.trim() : word.text.trim().toLowerCase();
    const found = needle === '' ? at : haystack.indexOf(needle, at);
    if (found === -1) return undefined;
    starts.push(starts.length === 0 ? 0 : found);
    at = found + needle.length;
  }
  return starts.length === 0 ? undefined : starts.map((start, n) => text.slice(start, starts[n + 1]));
}

/** Goes on with the last sentence, or begins one. */
function grown(sentences: Sentence[], part: Sentence): Sentence[] {
  const last = sentences.at(-1);
  const over =
    last === undefined ||
    endsSentence(last.text) ||
    part.fromMs - last.toMs > PAUSE_MS ||
    part.toMs - last.fromMs > MAX_MS ||
    widthOf(last.text) + widthOf(part.text) > MAX_LENGTH;
  if (over) return [...sentences, part];
  return [...sentences.slice(0, -1), { ...last, toMs: part.toMs, text: glue(last.text, part.text) }];
}

const trimmed = (sentence: Sentence): Sentence => ({ ...sentence, text: sentence.text.trim() });
