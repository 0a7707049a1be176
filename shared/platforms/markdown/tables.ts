import { advanceLine, type Block, START, countBefore, cacheLast } from './code.ts';

/** A line of a text. `end` is the offset behind its line break. */
type Line = { readonly start: number; readonly end: number; readonly words: string };

export type Align = 'left' | 'center' | 'right';

/** A table of GitHub's Markdown: a header, a line of dashes, rows. Cells have inline Markdown. */
export type Table = {
  readonly start: number;
  readonly end: number;
  /** The offset of the first row, behind the line of dashes. */
  readonly body: number;
  readonly align: readonly Align[];
  readonly header: readonly string[];
  readonly rows: readonly { readonly start: number; readonly cells: readonly string[] }[];
};

const PLAIN = /^ {0,3}[^\s>#]/;
const DASHES = /^:?-+:?$/;

/** The tables of a Markdown text, in order. Tables in code, lists and quotations do not count. */
export const tablesIn = cacheLast(findTables);

function findTables(text: string): readonly Table[] {
  if (!text.includes('|') || !text.includes('-')) return [];
  const tables: Table[] = [];
  let block: Block = START;
  let above: Line | undefined;
  let open: { table: Table; rows: { start: number; cells: string[] }[]; end: number } | undefined;
  const close = (): void => {
    if (open) tables.push({ ...open.table, rows: open.rows, end: open.end });
    open = undefined;
  };
  for (const line of splitLines(text)) {
    block = advanceLine(block, line.words);
    const isPlain = !block.fence && !block.inList && line.words.includes('|') && PLAIN.test(line.words);
    if (!isPlain) {
      close();
      above = undefined;
      continue;
    }
    if (open) {
      open.rows.push({ start: line.start, cells: splitCells(line.words) });
      open.end = line.end;
      continue;
    }
    const table = above && parseTableStart(above, line);
    if (table) open = { table, rows: [], end: line.end };
    above = line;
  }
  close();
  return tables;
}

/** The table between whose rows an offset lies, or which may continue there. */
export function findTableAt(text: string, offset: number): Table | undefined {
  if (text.charAt(offset - 1) !== '\n') return undefined;
  const table = findLastBefore(text, offset + 1);
  return table && table.body <= offset && offset < table.end ? table : undefined;
}

/** The table that an offset lies in, its header and the middle of rows included. */
export function findTableAround(text: string, offset: number): Table | undefined {
  const table = findLastBefore(text, offset);
  return table && offset < table.end ? table : undefined;
}

/** The last table that begins before an offset. */
function findLastBefore(text: string, offset: number): Table | undefined {
  return tablesIn(text)[countBefore(listTableStarts(text), offset) - 1];
}

const listTableStarts = cacheLast((text): readonly number[] => tablesIn(text).map(({ start }) => start));

/** The trimmed cells of a row. A bar behind a backslash belongs to its cell. */
export function splitCells(row: string): string[] {
  const cells: string[] = [];
  const words = row.trim();
  let cell = '';
  for (let at = words.startsWith('|') ? 1 : 0; at < words.length; at += 1) {
    const char = words.charAt(at);
    if (char === '\\') {
      cell += words.slice(at, at + 2);
      at += 1;
    } else if (char === '|') {
      cells.push(cell.trim());
      cell = '';
    } else {
      cell += char;
    }
  }
  if (cell.trim() !== '' || !words.endsWith('|')) cells.push(cell.trim());
  return cells;
}

function parseTableStart(header: Line, dashes: Line): Table | undefined {
  const marks = splitCells(dashes.words);
  if (!marks.every((mark) => DASHES.test(mark))) return undefined;
  const titles = splitCells(header.words);
  if (titles.length !== marks.length) return undefined;
  return {
    start: header.start,
    end: dashes.end,
    body: dashes.end,
    align: marks.map((mark) => (mark.endsWith(':') ? (mark.startsWith(':') ? 'center' : 'right') : 'left')),
    header: titles,
    rows: [],
  };
}

function* splitLines(text: string): Generator<Line> {
  for (let start = 0; start < text.length;) {
    const lineBreak = text.indexOf('\n', start);
    const last = lineBreak < 0 ? text.length : lineBreak;
    const end = Math.min(text.length, last + 1);
    yield { start, end, words: text.slice(start, last) };
    start = end;
  }
}
