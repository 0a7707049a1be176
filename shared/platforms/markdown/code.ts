/**
 * Caches the result for the last text: a long text is split at many offsets, and each split needs the lines or tables of the
 * whole text.
 */
export function cacheLast<T>(compute: (text: string) => T): (text: string) => T {
  let last: { readonly text: string; readonly result: T } | undefined;
  return (text) => {
    last = last?.text === text ? last : { text, result: compute(text) };
    return last.result;
  };
}

/** How many of these ascending numbers are less than a limit. */
export function countBefore(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The run of backticks at an offset. */
export function getRunAt(text: string, at: number): string {
  let end = at;
  while (text.charAt(end) === '`') end += 1;
  return text.slice(at, end);
}

/** The offset of the run of backticks that closes a code span. */
export function findClosingTicks(line: string, run: string): number | undefined {
  for (const match of line.slice(run.length).matchAll(/`+/g)) {
    if (match[0].length === run.length) return run.length + match.index;
  }
  return undefined;
}

/** What a code span may not contain where a renderer may take its content, or that of an earlier one, for prose. */
const UNSAFE_AS_PROSE = /\][(:]|<[a-z][a-z0-9+.-]*:|@(?:channel|here|everyone)/i;

/** Decides which code spans of a text can stay code although not every renderer takes the same text for code. */
export class SpanRules {
  /** A code span on this line has a vertical bar: a table would divide it, so that later spans begin where others end. */
  #isDivided = false;
  /** Prose has `||`, with which Discord hides everything up to the next one, also one in code. */
  #hasSpoiler = false;

  beginLine(): void {
    this.#isDivided = false;
  }

  noteProse(text: string): void {
    this.#hasSpoiler ||= text.includes('||');
  }

  /** Whether a code span with this content, the next one of the line, hides nothing from people. */
  mayBeCode(inside: string): boolean {
    const isDivided = this.#isDivided || inside.includes('|');
    if (isDivided && UNSAFE_AS_PROSE.test(inside)) return false;
    if (this.#hasSpoiler && inside.includes('||')) return false;
    this.#isDivided = isDivided;
    return true;
  }
}

/** A code fence that is open. */
export type Fence = {
  /** The run of backticks or tildes that opened it. */
  readonly marker: string;
  /** The first word behind it, usually the language. */
  readonly info: string;
  /** Opened in a quotation: a line without `>` ends it. */
  readonly isQuoted: boolean;
  /** Opened in a list: a line with less indentation ends it. */
  readonly indent: number;
  /** The indentation of its opening line, in columns; 0 in a quotation. */
  readonly column: number;
};

/** The state of the parser between two lines. */
export type Block = { readonly fence?: Fence; readonly inList: boolean };

export const START: Block = { inList: false };

/** Longer lines are text. The limit keeps the parser linear. */
const MAX_FENCE_LINE_LENGTH = 200;
const OPENING = /^([ \t>]{0,40}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,8}){0,4})(`{3,12}|~{3,12})(.*)$/s;
const LIST_ITEM = /^([ \t>]{0,40})(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const MAX_PREFIX_LENGTH = 60;
/** The beginning of an opening line, whose last part may be incomplete. */
const PREFIX_ONLY =
  /^[ \t>]{0,40}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,8}){0,4}(?:[-*+]|\d{1,9}[.)]?|`{1,2}|~{1,2})?$/;
const MARKER_ONLY = /^[ \t>]{0,40}(?:`+|~+)[ \t]*$/;

/**
 * The state after one line (without its line break), by CommonMark's rules for fences, lists and quotations. An ambiguous line
 * counts as text: text is sanitized, code is not.
 */
export function advanceLine(before: Block, line: string): Block {
  const open = before.fence;
  if (open && !isOutside(open, line)) return closesFence(open, line) ? { inList: before.inList } : before;
  const inList = isInList(before, line);
  const fence = toFence(line, inList);
  return fence ? { fence, inList } : { inList };
}

function isInList(before: Block, line: string): boolean {
  if (before.inList && (/^[ \t]/.test(line) || line.trim() === '')) return true;
  const [, prefix] = LIST_ITEM.exec(line) ?? [];
  // Outside of a list, a line with more indentation begins no list.
  return prefix !== undefined && countColumns(prefix) <= 3;
}

/** Whether a line with this beginning may become the opening or closing line of a fence. */
export function mayBeFence(beginning: string): boolean {
  if (beginning.length > MAX_FENCE_LINE_LENGTH) return false;
  return (
    PREFIX_ONLY.test(beginning) || MARKER_ONLY.test(beginning) || parseFenceLine(beginning) !== undefined
  );
}

/** Whether a line is code or a fence. For a line that cannot be a fence, its beginning is enough. */
export function isCode(before: Block, line: string): boolean {
  if (before.fence && !isOutside(before.fence, line)) return true;
  return toFence(line, isInList(before, line)) !== undefined;
}

/** The fence that is open at an offset of a text, if any. */
export function findFenceAt(text: string, offset: number): Fence | undefined {
  const { breaks, fences } = readLines(text);
  return fences[countBefore(breaks, offset) - 1];
}

/** The fence whose code an offset lies in. Unlike `findFenceAt`, undefined if the line of the offset ends the fence. */
export function findFenceAround(text: string, offset: number): Fence | undefined {
  const fence = findFenceAt(text, offset);
  const start = findLineStart(text, offset);
  if (!fence || start === offset) return fence;
  const [line = ''] = text.slice(start, start + MAX_FENCE_LINE_LENGTH).split('\n', 1);
  return isOutside(fence, line) ? undefined : fence;
}

/** The start of the line that an offset lies in. */
export function findLineStart(text: string, offset: number): number {
  const { breaks } = readLines(text);
  return (breaks[countBefore(breaks, offset) - 1] ?? -1) + 1;
}

type Lines = { readonly breaks: readonly number[]; readonly fences: readonly (Fence | undefined)[] };

/** The line breaks of a text, and the fence that is open after each. */
const readLines = cacheLast((text): Lines => {
  const breaks: number[] = [];
  const fences: (Fence | undefined)[] = [];
  let state = START;
  for (let at = 0, end = text.indexOf('\n'); end >= 0; at = end + 1, end = text.indexOf('\n', at)) {
    state = advanceLine(state, text.slice(at, end));
    breaks.push(end);
    fences.push(state.fence);
  }
  return { breaks, fences };
});

/** What a line has to begin with so that every renderer takes it for a line of this fence. */
export const getFencePrefix = ({ isQuoted, column }: Fence): string => (isQuoted ? '> ' : ' '.repeat(column));

/** What stands before and behind the marker of an opening line: the one in the same columns without tabs, the other trimmed. */
export function readOpening(line: string): { readonly start: string; readonly words: string } {
  const [, prefix = '', rest = ''] = /^([^`~]*)(?:`+|~+)(.*)$/su.exec(line) ?? [];
  const mark = prefix.trimEnd();
  return { start: mark + ' '.repeat(countColumns(prefix) - countColumns(mark)), words: rest.trim() };
}

/** The beginning of a line of code as every renderer expects it: how many characters of the line to replace, and by what. */
export function alignCode(fence: Fence, line: string): { readonly used: number; readonly text: string } {
  const [own = ''] = (fence.isQuoted ? /^[ \t]{0,40}> ?/ : /^[ \t]*/).exec(line) ?? [];
  if (fence.isQuoted) return { used: own.length, text: getFencePrefix(fence) };
  const columns = countColumns(own);
  const isOdd = columns < fence.column || own.includes('\t');
  if (fence.indent === 0 || line.trim() === '' || !isOdd) return { used: 0, text: '' };
  return { used: own.length, text: ' '.repeat(Math.max(columns, fence.column)) };
}

/** The width of these characters in columns. A tab ends at the next multiple of four. */
function countColumns(prefix: string): number {
  let columns = 0;
  for (const char of prefix) columns += char === '\t' ? 4 - (columns % 4) : 1;
  return columns;
}

/** A quotation in which a fence may open. Platforms differ about deeper nesting. */
const QUOTED = /^ {0,3}> ?$/;

type FenceLine = { readonly prefix: string; readonly marker: string; readonly rest: string };

function parseFenceLine(line: string): FenceLine | undefined {
  if (line.length > MAX_FENCE_LINE_LENGTH) return undefined;
  const [, prefix = '', marker = '', rest = ''] = OPENING.exec(line) ?? [];
  if (marker === '' || prefix.length > MAX_PREFIX_LENGTH) return undefined;
  if (prefix.includes('>') && !QUOTED.test(prefix)) return undefined;
  return rest.includes('`') || rest.startsWith('~') ? undefined : { prefix, marker, rest };
}

function toFence(line: string, inList: boolean): Fence | undefined {
  const fenceLine = parseFenceLine(line);
  if (!fenceLine) return undefined;
  const { prefix, marker, rest } = fenceLine;
  const info = /^[\w+#.-]{0,24}/.exec(rest.trim())?.[0] ?? '';
  const isIndented = inList || /[-*+\d]/.test(prefix);
  // Outside of a list, renderers differ about whether that is a fence.
  if (!inList && countColumns(prefix) > 3) return undefined;
  const isQuoted = prefix.includes('>');
  const indent = isIndented ? Math.min(2, prefix.length) : 0;
  return { marker, info, isQuoted, indent, column: isQuoted ? 0 : countColumns(prefix) };
}

/** Whether a line ends the fence although it does not close it. */
export function isOutside(fence: Fence, line: string): boolean {
  if (fence.isQuoted) return !/^[ \t]{0,40}>/.test(line);
  if (fence.indent === 0 || line.trim() === '') return false;
  return line.length - line.trimStart().length < fence.indent;
}

/** Whether a line closes the fence. */
export function closesFence(fence: Fence, line: string): boolean {
  if (line.length > MAX_FENCE_LINE_LENGTH) return false;
  const words = line.replace(/^[ \t>]{0,40}/, '').trimEnd();
  return words.length >= fence.marker.length && words === fence.marker.charAt(0).repeat(words.length);
}
