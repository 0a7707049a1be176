import {
  findFenceAt,
  getFencePrefix,
  findLineStart,
  countBefore,
  cacheLast,
  advanceLine,
  type Block,
  type Fence,
  findFenceAround,
  START,
} from './code.ts';
import { readDestination } from './links.ts';
import { findTableAt, findTableAround } from './tables.ts';

/** The unit in which a platform measures text. */
export type TextUnit = {
  readonly size: (text: string) => number;
  /** The last offset so that the text from `from` to it measures at most `room`. */
  readonly reach: (text: string, from: number, room: number) => number;
};

/** UTF-16 code units: an emoji may be two. */
const CHARACTERS: TextUnit = {
  size: (text) => text.length,
  reach: (text, from, room) => Math.min(text.length, from + Math.max(0, Math.floor(room))),
};

const encoder = new TextEncoder();

/** Bytes of UTF-8: a Latin letter has one, a Japanese character three, an emoji four or more. */
export const UTF8_BYTES: TextUnit = {
  size: (text) => Buffer.byteLength(text),
  reach: (text, from, room) => {
    const limit = Math.max(0, Math.floor(room));
    // Every character has at least one byte.
    const start = text.slice(from, from + limit);
    return from + encoder.encodeInto(start, new Uint8Array(limit)).read;
  },
};

/** The largest message, in a unit. */
export type TextLimit = { readonly max: number; readonly unit: TextUnit };

/** A limit in UTF-16 code units, as Discord counts. */
export const inCharacters = (max: number): TextLimit => ({ max, unit: CHARACTERS });
/** A limit in bytes of UTF-8, as Slack counts. */
export const inBytes = (max: number): TextLimit => ({ max, unit: UTF8_BYTES });

/** What closing code can add: the indentation of a list for the ellipsis, a line break, another indentation, three backticks. */
const MAX_CODE_CLOSING_LENGTH = 60;
const FENCE = '```';

/**
 * The beginning of a sanitized text with an ellipsis, of at most `maxLength` characters (60 or more). Code that is cut stays code,
 * and no link loses the host that is named behind it.
 */
export function cutSanitized(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  if (maxLength < 2) return '';
  const plain = cutBeginning(text, maxLength - 1);
  const close = getCodeClosing(plain);
  if (close === '') return plain;
  const shorter = cutBeginning(text, Math.max(0, maxLength - MAX_CODE_CLOSING_LENGTH));
  return shorter + getCodeClosing(shorter);
}

/** A link whose host would be cut off is left out. */
function cutBeginning(text: string, length: number): string {
  const before = text.lastIndexOf('](', length);
  const link = before < 0 ? undefined : readDestination(text, before + 2);
  const end = link?.kind === 'link' ? before + 2 + link.length : 0;
  const named = text.startsWith(' (', end) ? text.indexOf(')', end) + 1 : end;
  const isCut = before >= 0 && length < named;
  const keptLength = isCut ? Math.max(0, text.lastIndexOf('[', before)) : length;
  return `${completeIndentation(text.slice(0, keptLength).toWellFormed())}…`;
}

/** Completes the indentation of a line of code: an ellipsis inside it would end the code for some renderers and not for others. */
function completeIndentation(text: string): string {
  const start = text.lastIndexOf('\n') + 1;
  const fence = findFenceAt(text, start);
  const prefix = fence ? getFencePrefix(fence) : '';
  return prefix.startsWith(text.slice(start)) ? text.slice(0, start) + prefix : text;
}

/** The characters that close the code that is open at the end of a text. */
function getCodeClosing(text: string): string {
  const fence = findFenceAt(`${text}\n`, text.length + 1);
  if (fence) return `\n${getFencePrefix(fence)}${FENCE}`;
  return isWithinCode(text, text.length) ? '`' : '';
}

/** Whether an offset of a sanitized text lies in a code span: the sanitizer leaves single backticks around it. */
function isWithinCode(text: string, offset: number): boolean {
  const ticks = listTicks(text);
  return (countBefore(ticks, offset) - countBefore(ticks, findLineStart(text, offset))) % 2 === 1;
}

const listTicks = cacheLast((text): readonly number[] => {
  const offsets: number[] = [];
  for (let at = text.indexOf('`'); at >= 0; at = text.indexOf('`', at + 1)) offsets.push(at);
  return offsets;
});

/** A range of a text: characters `from` (inclusive) to `to` (exclusive). */
export type Range = { readonly from: number; readonly to: number };

/** What closing a fence can add to a message: a line break, an indentation, a marker of at most 12 characters. */
const MAX_CLOSING_LENGTH = 52;
/** The longest indentation of a closing fence. Platforms differ about deeper lists. */
const MAX_CLOSING_INDENT = 36;
/** No fence has a longer prefix. */
const MAX_PREFIX_LENGTH = 60;
const PREFIX = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*$/;
const BLANK_OR_END = /[ \t>]*(?:\n|`{3}|~{3}|$)/y;
/** A table's header is repeated only if it takes at most this share of a message. */
const MAX_HEADER_SHARE = 0.25;

/**
 * Splits a Markdown text into messages of at most `limit` (100 or more, in its unit): after a paragraph that ends in the second
 * half of the room, else after a line outside of code and tables, else after any line, a word, a character. No character is
 * lost or doubled. A code fence across a cut is closed before it and opened again after it. A table is cut only if it is too
 * large for a message; its header is then repeated.
 */
export function split(text: string, limit: TextLimit): string[] {
  return splitIntoRanges(text, limit).map((range) => closeOpenBlocks(text, range, limit));
}

/** The ranges that `split` makes messages of, from an offset on. */
export function splitIntoRanges(text: string, limit: TextLimit, start = 0): Range[] {
  const all: Range[] = [];
  for (let from = start; from < text.length;) {
    const to = findCut(text, from, limit);
    all.push({ from, to });
    from = to;
  }
  return all;
}

/** A range as a message of its own: fences and tables that continue from before are opened again, an open fence is closed. */
export function closeOpenBlocks(text: string, { from, to }: Range, limit: TextLimit): string {
  return `${getOpening(text, from, limit)}${text.slice(from, to)}${getClosing(text, to)}`;
}

/** What a message that begins at `from` has to begin with: the opening line of a fence, or the header of a table. */
export function getOpening(text: string, from: number, limit: TextLimit): string {
  if (from === 0) return '';
  const fence = findFenceAround(text, from);
  if (fence) {
    const quote = getQuotePrefix(fence);
    const rest = text.charAt(from - 1) === '\n' ? '' : quote;
    return `${quote}${fence.marker}${fence.info}\n${beginsBlank(text, from) ? `${quote} \n` : ''}${rest}`;
  }
  if (isWithinCode(text, from)) return '`';
  const table = findTableAt(text, from);
  if (!table) return '';
  if (table.body - table.start > limit.max) return '';
  const header = text.slice(table.start, table.body);
  return limit.unit.size(header) > limit.max * MAX_HEADER_SHARE ? '' : header;
}

/** Whether the text at `from` may leave a code block empty: Discord shows an empty one as text. */
function beginsBlank(text: string, from: number): boolean {
  BLANK_OR_END.lastIndex = from;
  return BLANK_OR_END.test(text);
}

/** What a message that ends at `to` has to end with, if more text follows or may follow. */
export function getClosing(text: string, to: number, more = to < text.length): string {
  const fence = more ? findFenceAround(text, to) : undefined;
  if (!fence) return more && isWithinCode(text, to) ? '`' : '';
  const end = getFencePrefix(fence).slice(0, MAX_CLOSING_INDENT) + fence.marker;
  return text.charAt(to - 1) === '\n' ? end : `\n${end}`;
}

/** Code in a quotation is opened again as a quotation. A list is not begun again: an indented fence would be text. */
const getQuotePrefix = ({ isQuoted }: Fence): string => (isQuoted ? '> ' : '');

/** Constraints on the end of a message. */
type CutOptions = {
  /** People see the text up to here already: the message ends there or later. */
  readonly atLeast?: number | undefined;
  /** What the message has beside the text, in the unit of the limit. */
  readonly reserved?: number | undefined;
};

/**
 * The end of the message that begins at `from`: the end of the text if it fits, else the best place to cut between
 * `atLeast` and the limit.
 */
export function findCut(
  text: string,
  from: number,
  limit: TextLimit,
  { atLeast = from, reserved = 0 }: CutOptions = {},
): number {
  const { reach } = limit.unit;
  const max = limit.max - reserved;
  if (reach(text, from, max - limit.max * MAX_HEADER_SHARE - MAX_CLOSING_LENGTH) >= text.length)
    return text.length;
  const room = max - MAX_CLOSING_LENGTH - limit.unit.size(getOpening(text, from, limit));
  const last = reach(text, from, room);
  if (last >= text.length) return text.length;
  const least = Math.max(atLeast, from + 1);
  const half = Math.max(least, reach(text, from, room / 2));
  const cut =
    findLineCut(text, from, half, last) ??
    findWordCut(text, half, last) ??
    findWordCut(text, least, last) ??
    avoidSurrogatePair(text, from, Math.max(least, last));
  return findCutBeforeTable(text, cut, least, { max: room, unit: limit.unit }) ?? cut;
}

/** The start of the table that a cut would divide, if a cut there is possible and the table fits into a message. */
function findCutBeforeTable(text: string, cut: number, least: number, room: TextLimit): number | undefined {
  const table = findTableAround(text, cut);
  if (!table || table.start < least) return undefined;
  const fits = room.unit.reach(text, table.start, room.max) >= table.end;
  return fits || cut <= table.body ? table.start : undefined;
}

/** The first offset from `least` on where a paragraph outside of code ends and another follows. */
export function findParagraphCut(text: string, from: number, least: number): number | undefined {
  for (const line of splitLines(text, from, text.length)) {
    if (line.end >= least && line.endsParagraph && text.slice(line.end).trim() !== '') return line.end;
  }
  return undefined;
}

function findLineCut(text: string, from: number, least: number, last: number): number | undefined {
  const best: { paragraph?: number; line?: number; code?: number } = {};
  for (const line of splitLines(text, from, last)) {
    if (line.end < least || line.opensCode) continue;
    if (line.endsParagraph) best.paragraph = line.end;
    else if (line.inCode) best.code = line.end;
    else best.line = line.end;
  }
  return best.paragraph ?? best.line ?? best.code;
}

type Line = {
  readonly end: number;
  readonly inCode: boolean;
  /** The line opens a code block, which would be empty if the text were cut behind it. */
  readonly opensCode: boolean;
  readonly endsParagraph: boolean;
};

/** The complete lines between two offsets. `end` is the offset behind the line break. */
function* splitLines(text: string, from: number, last: number): Generator<Line> {
  const fence = from > 0 ? findFenceAt(text, from) : undefined;
  let state: Block = fence ? { fence, inList: false } : START;
  const part = text.slice(from, last);
  let at = from;
  for (;;) {
    const end = from + part.indexOf('\n', at - from);
    if (end < at) return;
    const line = text.slice(at, end);
    const before = state.fence;
    state = advanceLine(state, line);
    const inCode = state.fence !== undefined;
    yield {
      end: end + 1,
      inCode,
      opensCode: inCode && state.fence !== before,
      endsParagraph: !inCode && line.trim() === '' && end > from,
    };
    at = end + 1;
  }
}

function findWordCut(text: string, least: number, last: number): number | undefined {
  const start = Math.max(0, least - 1);
  const lastSpace = text.slice(start, last).lastIndexOf(' ');
  if (lastSpace < 0) return undefined;
  const space = start + lastSpace;
  // The next message would begin with a code fence.
  if (/^ *(?:`{3}|~{3})/.test(text.slice(space, space + MAX_PREFIX_LENGTH)))
    return findWordCut(text, least, space);
  // The prefix of a line, such as the marker of a quotation or a list, stays with it.
  const line = findLineStart(text, space);
  const isPrefix = space - line < MAX_PREFIX_LENGTH && PREFIX.test(text.slice(line, space + 1));
  const cut = isPrefix ? line : space + 1;
  return cut >= least ? cut : undefined;
}

/** Moves a cut out of a surrogate pair. */
function avoidSurrogatePair(text: string, from: number, at: number): number {
  const code = text.charCodeAt(at - 1);
  if (code < 0xd800 || code > 0xdbff || at >= text.length) return at;
  return at - 1 > from ? at - 1 : at + 1;
}
