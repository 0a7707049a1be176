import { fenceAt, fencePrefix, lineStart } from './fences.ts';
import { countBefore, ofLast } from './last-lines.ts';
import { destination } from './links.ts';

/** What closing code can add: an indentation of a list for the mark, a line break, another indentation, three backticks. */
const CLOSING = 60;
const FENCE = '```';

/**
 * The beginning of a text that `inert` has made, of at most `most` characters (CLOSING or more), with a mark where it was cut.
 * Code that was cut stays code, and no link loses the host that stands behind it.
 */
export function cutSanitized(text: string, most: number): string {
  if (text.length <= most) return text;
  if (most < 2) return '';
  const plain = beginningOf(text, most - 1);
  const close = closingOf(plain);
  if (close === '') return plain;
  const shorter = beginningOf(text, Math.max(0, most - CLOSING));
  return shorter + closingOf(shorter);
}

/** A link whose host would be cut off is left out with it. */
function beginningOf(text: string, length: number): string {
  const before = text.lastIndexOf('](', length);
  const link = before < 0 ? undefined : destination(text, before + 2);
  const end = link?.kind === 'link' ? before + 2 + link.length : 0;
  const named = text.startsWith(' (', end) ? text.indexOf(')', end) + 1 : end;
  const isCut = before >= 0 && length < named;
  const kept = isCut ? Math.max(0, text.lastIndexOf('[', before)) : length;
  return `${startedLine(text.slice(0, kept).toWellFormed())}…`;
}

/** What was begun of the indentation of a line of code is completed: a mark left of it would end the code for some readers and not for others. */
function startedLine(text: string): string {
  const start = text.lastIndexOf('\n') + 1;
  const fence = fenceAt(text, start);
  const prefix = fence ? fencePrefix(fence) : '';
  return prefix.startsWith(text.slice(start)) ? text.slice(0, start) + prefix : text;
}

/** What closes the code that is open at the end of a text. */
function closingOf(text: string): string {
  const fence = fenceAt(`${text}\n`, text.length + 1);
  if (fence) return `\n${fencePrefix(fence)}${FENCE}`;
  return isWithinCode(text, text.length) ? '`' : '';
}

/** Whether an offset of a text that `inert` has made lies within code on a line: such code has single backticks around it. */
export function isWithinCode(text: string, offset: number): boolean {
  const ticks = ticksIn(text);
  return (countBefore(ticks, offset) - countBefore(ticks, lineStart(text, offset))) % 2 === 1;
}

const ticksIn = ofLast((text): readonly number[] => {
  const found: number[] = [];
  for (let at = text.indexOf('`'); at >= 0; at = text.indexOf('`', at + 1)) found.push(at);
  return found;
});
