import { estimateTokens } from '../domain/index.ts';
import type { HistoryMessage } from '../platforms/ports/index.ts';

/** Messages in reading order: the model cites each by its number, from 1. */
export type NumberedMessages = readonly HistoryMessage[];

/** A prompt line: one message, or a part of a long one. */
export type PromptLine = { readonly number: number; readonly text: string };

const getThreadId = ({ id, root }: HistoryMessage): string => root ?? id;

/** Sorts messages for reading: replies follow the root message of their thread. */
export function sortForReading(messages: readonly HistoryMessage[]): NumberedMessages {
  const postedAt = new Map<string, number>(messages.map(({ id, at }) => [id, at]));
  const threadStart = (message: HistoryMessage) => postedAt.get(getThreadId(message)) ?? message.at;
  return messages.toSorted(
    (a, b) =>
      threadStart(a) - threadStart(b) ||
      (getThreadId(a) === getThreadId(b) ? a.at - b.at : getThreadId(a) < getThreadId(b) ? -1 : 1),
  );
}

/** Formats each message as a line with number, time in this zone, author and text. Splits messages longer than `maxTokens`. */
export function toPromptLines(messages: NumberedMessages, zone: string, maxTokens: number): PromptLine[] {
  const timeFormat = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return messages.flatMap(({ at, author, text, root }, n) => {
    const name = author.replaceAll(/\s+/gu, ' ');
    const head = `[${n + 1}] ${timeFormat.format(at)} ${name}${root === undefined ? '' : ' (in a thread)'}: `;
    return splitText(indent(text), maxTokens).map((part) => ({ number: n + 1, text: head + part }));
  });
}

/** Indents further lines, so that a message cannot imitate the start of another one. */
const indent = (text: string): string => text.replaceAll(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/gu, '\n    ');

/** Splits a text into parts of at most `maxTokens`: a character is estimated at no more than 2.2 tokens. */
function splitText(text: string, maxTokens: number): string[] {
  if (estimateTokens(text) <= maxTokens) return [text];
  const characters = Array.from(text);
  const size = Math.max(1, Math.floor(maxTokens / 2.2));
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, n) => characters.slice(n * size, (n + 1) * size).join(''));
}

/** Groups lines into parts of at most `maxTokens` (estimated). A longer line is a part of its own. */
export function splitIntoParts<T extends Pick<PromptLine, 'text'>>(
  lines: readonly T[],
  maxTokens: number,
): T[][] {
  const parts: T[][] = [];
  let remainingTokens = 0;
  for (const line of lines) {
    const tokens = estimateTokens(line.text);
    if (tokens > remainingTokens || parts.length === 0) {
      parts.push([]);
      remainingTokens = maxTokens;
    }
    parts.at(-1)?.push(line);
    remainingTokens -= tokens;
  }
  return parts;
}

/** Code spans are excluded: there, a number in brackets is an index. */
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]+`)/u;
const CITATION = /\s?\[(\d{1,5}(?:\s*[,;–-]\s*\d{1,5})*)\](?!\()/gu;
/** In characters, for all links of a summary: Discord shows 4,000 characters per message. */
const MAX_LINKS_LENGTH = 2_400;

/** Returns the links of these messages that the text contains. */
export const findLinks = (text: string, messages: NumberedMessages): string[] =>
  messages.flatMap(({ link }) => (link !== undefined && text.includes(`](${link})`) ? [link] : []));

/**
 * Replaces the cited numbers with links to the messages. Unknown numbers and links beyond the platform limit are removed.
 */
export function withLinks(summary: string, messages: NumberedMessages): string {
  let remainingLength = MAX_LINKS_LENGTH;
  const toLink = (number: string): string[] => {
    const link = messages[Number(number) - 1]?.link;
    if (link === undefined || link.length > remainingLength) return [];
    remainingLength -= link.length;
    return [`[${Number(number)}](${link})`];
  };
  const replaceCitations = (text: string): string =>
    text.replace(CITATION, (_, inside: string) => {
      const links = (inside.match(/\d+/gu) ?? []).flatMap(toLink);
      return links.length === 0 ? '' : ` (${links.join(', ')})`;
    });
  // With a capturing group, every second part is a match.
  return summary
    .split(CODE)
    .map((part, n) => (n % 2 === 1 ? part : replaceCitations(part)))
    .join('');
}
