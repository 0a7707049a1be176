import { joinChunks, type Sentence } from './join-chunks.ts';

/** The transcript of one chunk of a recording; times in ms from the start of the recording. */
type TranscriptChunk = {
  readonly n: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly text: string;
  readonly words: readonly { readonly fromMs: number; readonly toMs: number; readonly text: string }[];
  readonly translation?: string | undefined;
};

/** Joins the chunks into one text and into sentences with times. */
const joinTranscript = (chunks: readonly TranscriptChunk[]) =>
  joinChunks(
    chunks.map(({ words, ...chunk }) => ({
      ...chunk,
      words: words.map(({ fromMs, toMs, text }) => ({
        start: (fromMs - chunk.fromMs) / 1_000,
        end: (toMs - chunk.fromMs) / 1_000,
        text,
      })),
    })),
  );

export const getTranscriptText = (chunks: readonly TranscriptChunk[]): string => joinTranscript(chunks).text;
/** Returns the sentences of a transcript with their times. */
export const getSentences = (chunks: readonly TranscriptChunk[]): readonly Sentence[] =>
  joinTranscript(chunks).sentences;

const joinTranslation = (chunks: readonly TranscriptChunk[]) =>
  joinChunks(chunks.map((chunk) => ({ ...chunk, words: [], text: chunk.translation ?? '' })));

/** Returns the translation; empty without one. */
export const getTranslation = (chunks: readonly TranscriptChunk[]): string => joinTranslation(chunks).text;
/** Returns the translation with the times of its chunks: the service gives none for its words. */
export const getTranslatedSentences = (chunks: readonly TranscriptChunk[]): readonly Sentence[] =>
  joinTranslation(chunks).sentences;
