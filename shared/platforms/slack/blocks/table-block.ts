import type { Table } from '../../markdown/index.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Slack's limits for a table, its header included. */
const ROWS = 100;
const COLUMNS = 20;
/** Slack refuses more than 10,000 characters in all cells of a message. */
const CHARACTERS = 9_000;
/** Longer cells are shown as they are: looking for marks in them would take long. */
const MAX_MARKED_LENGTH = 500;

/** A table block, and how many rows of the table it shows. */
export type TableBlock = { readonly block: Json; readonly shown: number };

/** A table as a block: as many of its rows as fit. Undefined if it is too wide, or too large for more than a row. */
export function tableBlock(table: Table): TableBlock | undefined {
  const columns = Math.max(table.header.length, ...table.rows.map(({ cells }) => cells.length));
  if (columns > COLUMNS || table.rows.length === 0) return undefined;
  const rows: Json[][] = [];
  let room = CHARACTERS;
  for (const cells of [table.header, ...table.rows.map((row) => row.cells)].slice(0, ROWS)) {
    // Blank cells count as the space that stands for them.
    room -= cells.reduce((sum, cell) => sum + cell.length, columns);
    if (room < 0) break;
    rows.push(Array.from({ length: columns }, (_, index) => cellBlock(cells[index] ?? '')));
  }
  if (rows.length < 2) return undefined;
  const settings = table.align.map((align) => ({ align, is_wrapped: true }));
  return { block: { type: 'table', rows, column_settings: settings }, shown: rows.length - 1 };
}

const MARKS =
  /(?<ticks>`+)(?<code>.+?)\k<ticks>|\*\*(?=\S)(?<bold>.+?)(?<=\S)\*\*|~~(?=\S)(?<strike>.+?)(?<=\S)~~|\*(?=[^\s*])(?<italic>[^*]+?)(?<=\S)\*|(?<!\w)_(?=\S)(?<slanted>[^_]+?)(?<=\S)_(?!\w)|(?<!\\)\[(?<label>[^[\]]+)\]\((?<url>[^()\s]+)\)/g;

/** One cell: plain text, or rich text if something in it is marked. Slack refuses empty cells. */
function cellBlock(cell: string): Json {
  const elements = cell.length > MAX_MARKED_LENGTH ? [] : elementsOf(cell);
  if (!elements.some((element) => element['type'] === 'link' || element['style'] !== undefined)) {
    return { type: 'raw_text', text: plain(cell) || ' ' };
  }
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

function elementsOf(cell: string): Json[] {
  const elements: Json[] = [];
  let at = 0;
  const text = (words: string, style?: Json): void => {
    if (words !== '') elements.push({ type: 'text', text: words, ...(style ? { style } : {}) });
  };
  for (const match of cell.matchAll(MARKS)) {
    const { code, bold, strike, italic, slanted, label, url } = match.groups ?? {};
    if (label !== undefined && !isAddress(url)) continue;
    text(plain(cell.slice(at, match.index)));
    // In a table a bar is escaped in code too.
    if (code !== undefined) text(code.replaceAll('\\|', '|'), { code: true });
    else if (bold !== undefined) text(plain(bold), { bold: true });
    else if (strike !== undefined) text(plain(strike), { strike: true });
    else if (label !== undefined) elements.push({ type: 'link', url, text: plain(label) });
    else text(plain(italic ?? slanted ?? ''), { italic: true });
    at = match.index + match[0].length;
  }
  text(plain(cell.slice(at)));
  return elements;
}

function isAddress(url: string | undefined): boolean {
  return (
    url !== undefined && url.length <= 3_000 && /^(?:https?:\/\/|mailto:)/i.test(url) && URL.canParse(url)
  );
}

/** Markdown's escapes and line breaks within a cell, as a reader sees them. */
function plain(words: string): string {
  return words.replace(/<br ?\/?>/gi, '\n').replace(/\\([!-/:-@[-`{-~])/g, '$1');
}
