import { estimateTokens } from '../domain/index.ts';
import type { HistoryMessage } from '../platforms/ports/platform.ts';

/** Messages in the order in which they are read: a model names each by its number, from 1 on. */
export type NumberedMessages = readonly HistoryMessage[];

/** A line of what is read: one message, or a piece of one that is long. */
export type Line = { readonly number: number; readonly text: string };

const threadOf = ({ id, root }: HistoryMessage): string => root ?? id;

/** The messages in the order in which they are read: each thread's replies behind the message that it hangs on. */
export function inReadingOrder(messages: readonly HistoryMessage[]): NumberedMessages {
  const begunAt = new Map<string, number>(messages.map(({ id, at }) => [id, at]));
  const startOf = (one: HistoryMessage) => begunAt.get(threadOf(one)) ?? one.at;
  return messages.toSorted(
    (a, b) =>
      startOf(a) - startOf(b) ||
      (threadOf(a) === threadOf(b) ? a.at - b.at : threadOf(a) < threadOf(b) ? -1 : 1),
  );
}

/** Each message as a line: its number, its moment in this zone, who said it, and what. No line has many more tokens than these. */
export function linesOf(messages: NumberedMessages, zone: string, maxTokens: number): Line[] {
  const moment = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return messages.flatMap(({ at, author, text, root }, n) => {
    const name = author.replaceAll(/\s+/gu, ' ');
    const head = `[${n + 1}] ${moment.format(at)} ${name}${root === undefined ? '' : ' (in a thread)'}: `;
    return pieces(indented(text), maxTokens).map((piece) => ({ number: n + 1, text: head + piece }));
  });
}

/** Only a message begins a line with a number: what somebody writes on lines of their own cannot look like another's message. */
const indented = (text: string): string => text.replaceAll(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/gu, '\n    ');

/** A text in pieces of at most so many tokens: no token is estimated at less than a third of a character. */
function pieces(text: string, maxTokens: number): string[] {
  if (estimateTokens(text) <= maxTokens) return [text];
  const letters = Array.from(text);
  const size = Math.max(1, Math.floor(maxTokens / 2.2));
  const count = Math.ceil(letters.length / size);
  return Array.from({ length: count }, (_, n) => letters.slice(n * size, (n + 1) * size).join(''));
}

/** The lines in parts of at most so many tokens, as estimated. A line that is longer is a part of its own. */
export function partsOf<T extends Pick<Line, 'text'>>(lines: readonly T[], maxTokens: number): T[][] {
  const parts: T[][] = [];
  let room = 0;
  for (const line of lines) {
    const tokens = estimateTokens(line.text);
    if (tokens > room || parts.length === 0) {
      parts.push([]);
      room = maxTokens;
    }
    parts.at(-1)?.push(line);
    room -= tokens;
  }
  return parts;
}

/** Not in code, where a number in brackets is an index. */
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]+`)/u;
const CITED = /\s?\[(\d{1,5}(?:\s*[,;–-]\s*\d{1,5})*)\](?!\()/gu;
/** All links of a summary together take no more characters: Discord shows 4,000 of a message. */
const MAX_LINKS_LENGTH = 2_400;

/** The addresses of these messages that a text links to. */
export const linksIn = (text: string, messages: NumberedMessages): string[] =>
  messages.flatMap(({ link }) => (link !== undefined && text.includes(`](${link})`) ? [link] : []));

/**
 * A summary in which the numbers in brackets are links to the messages. What no message has is left out, and so is what is more
 * than a platform shows.
 */
export function withLinks(summary: string, messages: NumberedMessages): string {
  let room = MAX_LINKS_LENGTH;
  const linked = (number: string): string[] => {
    const link = messages[Number(number) - 1]?.link;
    if (link === undefined || link.length > room) return [];
    room -= link.length;
    return [`[${Number(number)}](${link})`];
  };
  const withoutCode = (text: string): string =>
    text.replace(CITED, (_, inside: string) => {
      const links = (inside.match(/\d+/gu) ?? []).flatMap(linked);
      return links.length === 0 ? '' : ` (${links.join(', ')})`;
    });
  // Split by a pattern with a group, every second part is what the group matched.
  return summary
    .split(CODE)
    .map((part, n) => (n % 2 === 1 ? part : withoutCode(part)))
    .join('');
}
