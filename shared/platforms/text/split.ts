import { afterLine, type Block, fenceAt, START } from './fences.ts';
import { tableAt, tableOver } from './tables.ts';

/** A piece of a text: characters `from` (included) to `to` (not included). */
export type Range = { readonly from: number; readonly to: number };

/** What reopening and closing a fence can add to a piece: two markers, a language, line breaks. */
const DRESS = 52;
/** A larger share of the room than this is not spent on repeating a table's header. */
const HEADER_SHARE = 0.25;

/**
 * Splits a Markdown text into messages of at most `limit` characters (100 or more): at a paragraph if one ends in the
 * second half of the room, else at a line outside of code and tables, else at any line, a word, a character. No
 * character is lost or doubled; a code fence that runs across a cut is closed before it and opened again after it. A
 * table is cut only if it alone is too large; its header is then repeated.
 */
export function split(text: string, limit: number): string[] {
  return ranges(text, limit).map((range) => dress(text, range, limit));
}

/** Where `split` cuts, from an offset on. */
export function ranges(text: string, limit: number, start = 0): Range[] {
  const found: Range[] = [];
  for (let from = start; from < text.length;) {
    const to = cutAt(text, from, limit);
    found.push({ from, to });
    from = to;
  }
  return found;
}

/** The piece as a message of its own: what runs into it opened, the fence that runs out of it closed. */
export function dress(text: string, { from, to }: Range, limit: number): string {
  return `${opening(text, from, limit)}${text.slice(from, to)}${closing(text, to)}`;
}

/** What a message that begins at `from` has to begin with: the opening of a fence, or the header of a table. */
export function opening(text: string, from: number, limit: number): string {
  if (from === 0) return '';
  const fence = fenceAt(text, from);
  if (fence) return `${fence.marker}${fence.info}\n`;
  const table = tableAt(text, from);
  if (!table || table.body - table.start > limit * HEADER_SHARE) return '';
  return text.slice(table.start, table.body);
}

/** What a message that is cut off at `to` has to end with, if more text follows or will. */
export function closing(text: string, to: number, more = to < text.length): string {
  const fence = more ? fenceAt(text, to) : undefined;
  if (!fence) return '';
  return text.charAt(to - 1) === '\n' ? fence.marker : `\n${fence.marker}`;
}

/**
 * The end of the message that begins at `from`: the end of the text if it fits, else the best place to cut between
 * `atLeast` (what people see already) and the limit.
 */
export function cutAt(text: string, from: number, limit: number, atLeast = from): number {
  if (text.length - from <= limit * (1 - HEADER_SHARE) - DRESS) return text.length;
  const room = limit - DRESS - opening(text, from, limit).length;
  if (text.length - from <= room) return text.length;
  const last = from + room;
  const least = Math.max(atLeast, from + 1);
  const half = Math.max(least, from + Math.floor(room / 2));
  const cut =
    lineCut(text, from, half, last) ??
    wordCut(text, half, last) ??
    wordCut(text, least, last) ??
    wholeCharacter(text, from, Math.max(least, last));
  return beforeTable(text, cut, least, room) ?? cut;
}

/** The start of the table that a cut would divide, if it may be cut there and need not be divided. */
function beforeTable(text: string, cut: number, least: number, room: number): number | undefined {
  const table = tableOver(text, cut);
  if (!table || table.start < least) return undefined;
  return table.end - table.start <= room || cut <= table.body ? table.start : undefined;
}

/** A place in `text` from `least` on where a paragraph outside of code ends and another follows. */
export function paragraphCut(text: string, from: number, least: number): number | undefined {
  for (const line of linesOf(text, from, text.length)) {
    if (line.end >= least && line.endsParagraph && text.slice(line.end).trim() !== '') return line.end;
  }
  return undefined;
}

function lineCut(text: string, from: number, least: number, last: number): number | undefined {
  const best: { paragraph?: number; line?: number; code?: number } = {};
  for (const line of linesOf(text, from, last)) {
    if (line.end < least) continue;
    if (line.endsParagraph) best.paragraph = line.end;
    else if (line.inCode) best.code = line.end;
    else best.line = line.end;
  }
  return best.paragraph ?? best.line ?? best.code;
}

type Line = { readonly end: number; readonly inCode: boolean; readonly endsParagraph: boolean };

/** The whole lines between two offsets; `end` lies behind the line break. */
function* linesOf(text: string, from: number, last: number): Generator<Line> {
  const fence = from > 0 ? fenceAt(text, from) : undefined;
  let state: Block = fence ? { fence, inList: false } : START;
  let at = from;
  for (;;) {
    const end = text.indexOf('\n', at);
    if (end < 0 || end + 1 > last) return;
    const line = text.slice(at, end);
    state = afterLine(state, line);
    const inCode = state.fence !== undefined;
    yield { end: end + 1, inCode, endsParagraph: !inCode && line.trim() === '' && end > from };
    at = end + 1;
  }
}

function wordCut(text: string, least: number, last: number): number | undefined {
  const space = text.lastIndexOf(' ', last - 1);
  return space + 1 >= least && space >= 0 ? space + 1 : undefined;
}

/** Never between the two halves of one character. */
function wholeCharacter(text: string, from: number, at: number): number {
  const code = text.charCodeAt(at - 1);
  if (code < 0xd800 || code > 0xdbff || at >= text.length) return at;
  return at - 1 > from ? at - 1 : at + 1;
}
