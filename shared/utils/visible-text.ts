/**
 * Characters that people do not see and models read: controls, format characters (bidirectional, tags) and variation selectors. Text can be
 * hidden in them. These stay: tab, line feed, and the two joiners that Persian, Indic scripts and emoji need.
 */
const INVISIBLE = /[^\P{C}\t\n\u200C\u200D]|[\u{E0100}-\u{E01EF}]/gu;

/** Removes invisible characters from a text of strangers, and shortens it to `maxLength` characters and `…`. */
export function toVisibleText(text: string, maxLength: number): string {
  // Cut first: the pattern should not run over megabytes.
  const visible = text
    .slice(0, 2 * maxLength)
    .toWellFormed()
    .replaceAll(INVISIBLE, '');
  return visible.length <= maxLength ? visible : `${visible.slice(0, maxLength - 1).toWellFormed()}…`;
}

/** Does the same, and makes one line of the text: for titles, and for queries that a model wrote. */
export const toVisibleLine = (text: string, maxLength: number): string =>
  toVisibleText(text, maxLength).replaceAll(/\s+/gu, ' ').trim();
