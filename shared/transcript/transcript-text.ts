import { joined, type Sentence } from './index.ts';

/** What was heard in one piece of a recording; times in ms since the beginning of the recording. */
type TranscriptPiece = {
  readonly n: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly text: string;
  readonly words: readonly { readonly fromMs: number; readonly toMs: number; readonly text: string }[];
  readonly translation?: string | undefined;
};

/** What was said, as one text and as sentences with their times. */
export const wordsOf = (pieces: readonly TranscriptPiece[]) =>
  joined(
    pieces.map(({ words, ...piece }) => ({
      ...piece,
      words: words.map(({ fromMs, toMs, text }) => ({
        start: (fromMs - piece.fromMs) / 1_000,
        end: (toMs - piece.fromMs) / 1_000,
        text,
      })),
    })),
  );

export const textOf = (pieces: readonly TranscriptPiece[]): string => wordsOf(pieces).text;
export const sentencesOf = (pieces: readonly TranscriptPiece[]): readonly Sentence[] =>
  wordsOf(pieces).sentences;

/** The same in the language that was asked for; empty without one. */
export const translationOf = (pieces: readonly TranscriptPiece[]): string =>
  joined(pieces.map((piece) => ({ ...piece, words: [], text: piece.translation ?? '' }))).text;
