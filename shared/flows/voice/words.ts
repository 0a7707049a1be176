import type { HeardPiece } from '../../store/index.ts';
import { joined, type Sentence } from '../../transcript/index.ts';

/** What was said, as one text and as sentences with their times. */
export const wordsOf = (pieces: readonly HeardPiece[]) =>
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

export const textOf = (pieces: readonly HeardPiece[]): string => wordsOf(pieces).text;
export const sentencesOf = (pieces: readonly HeardPiece[]): readonly Sentence[] => wordsOf(pieces).sentences;

/** The same in the language that was asked for; empty without one. */
export const translationOf = (pieces: readonly HeardPiece[]): string =>
  joined(pieces.map((piece) => ({ ...piece, words: [], text: piece.translation ?? '' }))).text;
