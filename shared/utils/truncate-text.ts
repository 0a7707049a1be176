/**
 * Truncates a text to `maxLength` UTF-16 units (at least 1), the last one being an ellipsis. Never splits what a person
 * sees as one character, such as an emoji of several code points.
 */
export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, new Intl.Segmenter().segment(text).containing(maxLength - 1)?.index ?? 0)}…`;
}
