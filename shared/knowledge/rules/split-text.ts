/** A page of a document; without a number where a document has none. */
export type TextPage = { readonly text: string; readonly page?: number | undefined };

/** A part of a document that is found and cited as a whole. */
export type Passage = { readonly text: string; readonly page?: number | undefined };

/** Most characters of a passage: some paragraphs, so that it says what it is about, and five of them fit into a prompt. */
const MAX_PASSAGE_LENGTH = 1_000;
/** A passage ends no earlier than this if the text continues: short ones say too little. */
const MIN_PASSAGE_LENGTH = 400;
/** Most passages of a document: all of 400,000 characters, the longest text that is read of a file, if they are full. */
export const MAX_PASSAGES = 500;

/** Where a text may be cut, the best first. */
const BREAKS: readonly (readonly string[])[] = [
  ['\n\n'],
  ['\n'],
  ['. ', '! ', '? ', '… ', '。', '！', '？'],
  [' ', '、', '，', '・'],
];

/**
 * Splits the pages of a document into passages: at paragraphs, else at lines, sentences or words. No passage crosses pages. `isComplete` is false if
 * there were more than `MAX_PASSAGES`.
 */
export function splitIntoPassages(pages: readonly TextPage[]): {
  readonly passages: readonly Passage[];
  readonly isComplete: boolean;
} {
  const passages: Passage[] = [];
  for (const { text, page } of pages) {
    const tidy = tidyWhitespace(text);
    let start = 0;
    while (start < tidy.length) {
      const end = findEnd(tidy, start);
      const part = tidy.slice(start, end).trim();
      start = end;
      if (!/[\p{L}\p{N}]/u.test(part)) continue;
      if (passages.length === MAX_PASSAGES) return { passages, isComplete: false };
      passages.push(page === undefined ? { text: part } : { text: part, page });
    }
  }
  return { passages, isComplete: true };
}

const tidyWhitespace = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029\f]/gu, '\n')
    .replaceAll(/[^\S\n]+/gu, ' ')
    .replaceAll(/ ?\n ?/gu, '\n')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim();

function findEnd(text: string, start: number): number {
  if (text.length - start <= MAX_PASSAGE_LENGTH) return text.length;
  const window = text.slice(start, start + MAX_PASSAGE_LENGTH);
  for (const breaks of BREAKS) {
    const end = Math.max(
      ...breaks.map((one) => {
        const at = window.lastIndexOf(one);
        return at < 0 ? at : at + one.length;
      }),
    );
    if (end >= MIN_PASSAGE_LENGTH) return start + end;
  }
  const last = window.charCodeAt(window.length - 1);
  // Not within a surrogate pair.
  return start + window.length - (last >= 0xd8_00 && last <= 0xdb_ff ? 1 : 0);
}
