/**
 * Characters that people do not see and models read: controls, format characters (bidirectional, tags) and variation selectors. Text can be
 * hidden in them. These stay: tab, line feed, and the two joiners that Persian, Indic scripts and emoji need.
 */
const INVISIBLE = /[^\P{C}\t\n\u200C\u200D]|[\u{E0100}-\u{E01EF}]/gu;

/** Removes invisible characters from a text of strangers, and shortens it to `maxLength` characters, the last one being `…`; to one fewer where it would split a code point. */
export function toVisibleText(text: string, maxLength: number): string {
  // Cut first: the pattern should not run over megabytes.
  const visible = cutText(text, 2 * maxLength)
    .toWellFormed()
    .replaceAll(INVISIBLE, '');
  return visible.length <= maxLength ? visible : `${cutText(visible, maxLength - 1)}…`;
}

/** Returns the first `length` UTF-16 units of a text, one fewer rather than half of a code point. Unlike `truncateText` it is fast on long texts. */
function cutText(text: string, length: number): string {
  const isWithinPair = length < text.length && (text.codePointAt(length - 1) ?? 0) > 0xff_ff;
  return text.slice(0, isWithinPair ? length - 1 : length);
}

/** Does the same, and makes one line of the text: for titles, and for queries that a model wrote. */
export const toVisibleLine = (text: string, maxLength: number): string =>
  toVisibleText(text, maxLength).replaceAll(/\s+/gu, ' ').trim();
