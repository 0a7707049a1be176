import { endsSentence, joinTexts, getWidth } from './join-texts.ts';

/** A word with its start and end, in seconds. */
export type Word = { readonly start: number; readonly end: number; readonly text: string };

/** The transcript of one chunk of a recording. */
export type TranscribedChunk = {
  readonly n: number;
  /** Position of the chunk in the recording. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly text: string;
  /** Times are relative to the start of the chunk. May be empty. */
  readonly words: readonly Word[];
};

/** A sentence with its start and end, in ms from the start of the recording. */
export type Sentence = { readonly fromMs: number; readonly toMs: number; readonly text: string };

/** A longer sentence is split between two words: maximum duration, width in letters, and pause. */
const MAX_MS = 15_000;
const MAX_LENGTH = 200;
const PAUSE_MS = 1_200;

/**
 * Joins the chunks of a recording, given in any order; of repeated chunks the last counts. The sentences contain the whole
 * text, with the times of its words if there are any, else of its chunks.
 */
export function joinChunks(chunks: readonly TranscribedChunk[]): {
  readonly text: string;
  readonly sentences: readonly Sentence[];
} {
  const byNumber = new Map(chunks.map((chunk) => [chunk.n, chunk]));
  const inOrder = [...byNumber.values()].toSorted((a, b) => a.n - b.n);
  return {
    text: inOrder.map(({ text }) => text.trim()).reduce(joinTexts, ''),
    sentences: inOrder.flatMap(splitIntoWords).reduce<Sentence[]>(appendToSentences, []).map(trimSentence),
  };
}

/** Splits a chunk's text into words with their times; punctuation belongs to the word before it. */
function splitIntoWords({ text, words, fromMs, toMs }: TranscribedChunk): Sentence[] {
  const sentence = { fromMs, toMs, text: text.trim() };
  if (sentence.text === '') return [];
  const parts = splitText(sentence.text, words);
  if (parts === undefined) return [sentence];
  let lastTime = fromMs;
  return parts.map((part, n) => {
    const { start = 0, end = 0 } = words[n] ?? {};
    // The model made a mistake if times lie outside the chunk or run backwards.
    const clampTime = (seconds: number): number =>
      Math.min(toMs, Math.max(lastTime, fromMs + Math.round(seconds * 1000)));
    const wordStart = clampTime(start);
    lastTime = wordStart;
    const wordEnd = clampTime(end);
    lastTime = wordEnd;
    return { fromMs: wordStart, toMs: wordEnd, text: part };
  });
}

/** Splits a text before each word; undefined if the words are not in the text in this order. */
function splitText(text: string, words: readonly Word[]): string[] | undefined {
  const lower = text.toLowerCase();
  // Some letters change their length with their case.
  const haystack = lower.length === text.length ? lower : text;
  const starts: number[] = [];
  let at = 0;
  for (const word of words) {
    const needle = haystack === text ? word.text.trim() : word.text.trim().toLowerCase();
    const index = needle === '' ? at : haystack.indexOf(needle, at);
    if (index === -1) return undefined;
    starts.push(starts.length === 0 ? 0 : index);
    at = index + needle.length;
  }
  return starts.length === 0 ? undefined : starts.map((start, n) => text.slice(start, starts[n + 1]));
}

/** Appends to the last sentence or starts a new one. */
function appendToSentences(sentences: Sentence[], part: Sentence): Sentence[] {
  const last = sentences.at(-1);
  const startsNew =
    last === undefined ||
    endsSentence(last.text) ||
    part.fromMs - last.toMs > PAUSE_MS ||
    part.toMs - last.fromMs > MAX_MS ||
    getWidth(last.text) + getWidth(part.text) > MAX_LENGTH;
  if (startsNew) return [...sentences, part];
  return [...sentences.slice(0, -1), { ...last, toMs: part.toMs, text: joinTexts(last.text, part.text) }];
}

const trimSentence = (sentence: Sentence): Sentence => ({ ...sentence, text: sentence.text.trim() });
