import { fenceAt, fencePrefix, lineStart } from './fences.ts';
import { countBefore, cacheLast } from './cache-last.ts';
import { destination } from './links.ts';

/** What closing code can add: the indentation of a list for the ellipsis, a line break, another indentation, three backticks. */
const MAX_CLOSING_LENGTH = 60;
const FENCE = '```';

/**
 * The beginning of a sanitized text with an ellipsis, of at most `maxLength` characters (60 or more). Code that is cut stays code,
 * and no link loses the host that is named behind it.
 */
export function cutSanitized(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  if (maxLength < 2) return '';
  const plain = beginningOf(text, maxLength - 1);
  const close = closingOf(plain);
  if (close === '') return plain;
  const shorter = beginningOf(text, Math.max(0, maxLength - MAX_CLOSING_LENGTH));
  return shorter + closingOf(shorter);
}

/** A link whose host would be cut off is left out. */
function beginningOf(text: string, length: number): string {
  const before = text.lastIndexOf('](', length);
  const link = before < 0 ? undefined : destination(text, before + 2);
  const end = link?.kind === 'link' ? before + 2 + link.length : 0;
  const named = text.startsWith(' (', end) ? text.indexOf(')', end) + 1 : end;
  const isCut = before >= 0 && length < named;
  const keptLength = isCut ? Math.max(0, text.lastIndexOf('[', before)) : length;
  return `${startedLine(text.slice(0, keptLength).toWellFormed())}…`;
}

/** Completes the indentation of a line of code: an ellipsis inside it would end the code for some renderers and not for others. */
function startedLine(text: string): string {
  const start = text.lastIndexOf('\n') + 1;
  const fence = fenceAt(text, start);
  const prefix = fence ? fencePrefix(fence) : '';
  return prefix.startsWith(text.slice(start)) ? text.slice(0, start) + prefix : text;
}

/** The characters that close the code that is open at the end of a text. */
function closingOf(text: string): string {
  const fence = fenceAt(`${text}\n`, text.length + 1);
  if (fence) return `\n${fencePrefix(fence)}${FENCE}`;
  return isWithinCode(text, text.length) ? '`' : '';
}

/** Whether an offset of a sanitized text lies in a code span: the sanitizer leaves single backticks around it. */
export function isWithinCode(text: string, offset: number): boolean {
  const ticks = ticksIn(text);
  return (countBefore(ticks, offset) - countBefore(ticks, lineStart(text, offset))) % 2 === 1;
}

const ticksIn = cacheLast((text): readonly number[] => {
  const offsets: number[] = [];
  for (let at = text.indexOf('`'); at >= 0; at = text.indexOf('`', at + 1)) offsets.push(at);
  return offsets;
});
