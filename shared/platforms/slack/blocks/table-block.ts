import type {
  RichTextBlock,
  RichTextLink,
  RichTextStyleable,
  RichTextText,
  TableBlock as SlackTable,
} from '@slack/types';
import type { Table } from '../../markdown/index.ts';

/** Slack's limits of a table, including the header. */
const MAX_ROWS = 100;
const MAX_COLUMNS = 20;
/** Slack refuses more than 10,000 characters in all cells of a message. */
const MAX_CHARACTERS = 9_000;
/** Longer cells are shown as plain text: parsing their markup would take too long. */
const MAX_PARSED_LENGTH = 500;

type Cell = SlackTable['rows'][number][number];
type TextElement = RichTextText | RichTextLink;

/** A table block, and how many rows of the table it shows. */
export type TableBlock = { readonly block: SlackTable; readonly shown: number };

/** Renders a table as a block with as many of its rows as fit. Undefined if it has too many columns, or if no row fits below the header. */
export function renderTable(table: Table): TableBlock | undefined {
  const columns = Math.max(table.header.length, ...table.rows.map(({ cells }) => cells.length));
  if (columns > MAX_COLUMNS || table.rows.length === 0) return undefined;
  const rows: Cell[][] = [];
  let room = MAX_CHARACTERS;
  for (const cells of [table.header, ...table.rows.map((row) => row.cells)].slice(0, MAX_ROWS)) {
    // An empty cell counts as one character: it is sent as a space.
    room -= cells.reduce((sum, cell) => sum + cell.length, columns);
    if (room < 0) break;
    rows.push(Array.from({ length: columns }, (_, index) => cellBlock(cells[index] ?? '')));
  }
  if (rows.length < 2) return undefined;
  const settings = table.align.map((align) => ({ align, is_wrapped: true }));
  return { block: { type: 'table', rows, column_settings: settings }, shown: rows.length - 1 };
}

const MARKUP =
  /(?<ticks>`+)(?<code>.+?)\k<ticks>|\*\*(?=\S)(?<bold>.+?)(?<=\S)\*\*|~~(?=\S)(?<strike>.+?)(?<=\S)~~|\*(?=[^\s*])(?<italic>[^*]+?)(?<=\S)\*|(?<!\w)_(?=\S)(?<slanted>[^_]+?)(?<=\S)_(?!\w)|(?<!\\)\[(?<label>[^[\]]+)\]\((?<url>[^()\s]+)\)/g;

/** Renders a cell as plain text, or as rich text if it has markup. Slack refuses empty cells. */
function cellBlock(cell: string): Cell {
  const elements = cell.length > MAX_PARSED_LENGTH ? [] : parseElements(cell);
  if (!elements.some(({ type, style }) => type === 'link' || style !== undefined)) {
    return { type: 'raw_text', text: unescaped(cell) || ' ' };
  }
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] } satisfies RichTextBlock;
}

function parseElements(cell: string): TextElement[] {
  const elements: TextElement[] = [];
  let end = 0;
  const addText = (text: string, style?: RichTextStyleable['style']): void => {
    if (text !== '') elements.push({ type: 'text', text, ...(style && { style }) });
  };
  for (const match of cell.matchAll(MARKUP)) {
    const { code, bold, strike, italic, slanted, label, url } = match.groups ?? {};
    if (label !== undefined && !isLinkable(url)) continue;
    addText(unescaped(cell.slice(end, match.index)));
    // Within a table, code escapes the vertical bar too.
    if (code !== undefined) addText(code.replaceAll('\\|', '|'), { code: true });
    else if (bold !== undefined) addText(unescaped(bold), { bold: true });
    else if (strike !== undefined) addText(unescaped(strike), { strike: true });
    else if (label !== undefined && url !== undefined)
      elements.push({ type: 'link', url, text: unescaped(label) });
    else addText(unescaped(italic ?? slanted ?? ''), { italic: true });
    end = match.index + match[0].length;
  }
  addText(unescaped(cell.slice(end)));
  return elements;
}

function isLinkable(url: string | undefined): boolean {
  return (
    url !== undefined && url.length <= 3_000 && /^(?:https?:\/\/|mailto:)/i.test(url) && URL.canParse(url)
  );
}

/** Resolves Markdown's escapes and line breaks within a cell. */
function unescaped(text: string): string {
  return text.replace(/<br ?\/?>/gi, '\n').replace(/\\([!-/:-@[-`{-~])/g, '$1');
}
