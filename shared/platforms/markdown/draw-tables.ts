import { type Align, type Table, tablesIn } from './tables.ts';

/** In columns. Wider code wraps on a screen. */
const MAX_READABLE_WIDTH = 80;
/** Larger tables are not drawn. One long cell makes every row as long. */
const MAX_CELLS = 5_000;
const MAX_DRAWN_LENGTH = 100_000;

/** A table as a file, because it is too wide or too large for a message. */
export type TableFile = { readonly name: string; readonly csv: string };

/** A text with its tables drawn in code blocks, whose letters have one width, for platforms without tables. */
export type DrawnTables = { readonly text: string; readonly files: readonly TableFile[] };

/** Draws every table. A table that is too wide also becomes a file; one that is too large stays Markdown and becomes a file. */
export function drawTables(text: string): DrawnTables {
  const files: TableFile[] = [];
  let drawn = '';
  let at = 0;
  for (const table of tablesIn(text)) {
    if (table.rows.length === 0) continue;
    const drawing = alignTable(table);
    if (drawing) {
      drawn += `${text.slice(at, table.start)}\`\`\`\n${drawing.lines.join('\n')}\n\`\`\`\n`;
      at = table.end;
    }
    if (!drawing || drawing.width > MAX_READABLE_WIDTH)
      files.push({ name: `table-${files.length + 1}.csv`, csv: toCsv(table) });
  }
  return { text: drawn + text.slice(at), files };
}

/** The length of the text before a table that may be incomplete: that text is drawn the same, however the text continues. */
export function getSettledLength(text: string): number {
  const whole = text.lastIndexOf('\n') + 1;
  const last = tablesIn(text).at(-1);
  // An incomplete line may become a row of the table above it.
  if (last && last.end >= whole) return last.start;
  // A line with a bar may be a header; the incomplete line below it may become its dashes.
  const above = whole < 2 ? 0 : text.lastIndexOf('\n', whole - 2) + 1;
  if (text.slice(above, whole).includes('|')) return above;
  return text.slice(whole).includes('|') ? whole : text.length;
}

/** Undefined for a table that is too large. */
function alignTable({
  header,
  rows,
  align,
}: Table): { readonly lines: string[]; readonly width: number } | undefined {
  const cells = [header, ...rows.map((row) => row.cells)].map((row) => row.map(toPlainCell));
  const columns = cells.reduce((largest, row) => Math.max(largest, row.length), 0);
  if (columns * cells.length > MAX_CELLS) return undefined;
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(1, ...cells.map((row) => measureWidth(row[column] ?? ''))),
  );
  const width = widths.reduce((sum, each) => sum + each + 2, -2);
  if (width * cells.length > MAX_DRAWN_LENGTH) return undefined;
  const drawn = cells.map((row) =>
    widths
      .map((each, column) => pad(row[column] ?? '', each, align[column] ?? 'left'))
      .join('  ')
      .trimEnd(),
  );
  drawn.splice(1, 0, widths.map((each) => '─'.repeat(each)).join('  '));
  return { lines: drawn, width };
}

function pad(cell: string, width: number, align: Align): string {
  const room = width - measureWidth(cell);
  const before = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0;
  return ' '.repeat(before) + cell + ' '.repeat(room - before);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** The width in columns. Chinese, Japanese and Korean letters and emoji take two. */
function measureWidth(text: string): number {
  let width = 0;
  for (const char of text) width += WIDE.test(char) ? 2 : 1;
  return width;
}

/** Code has no inline Markdown, and a cell must not end it. */
function toPlainCell(cell: string): string {
  return cell
    .replaceAll(/\*\*|__|~~|`/g, '')
    .replaceAll(/<br ?\/?>/gi, ' ')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
    .replaceAll('`', '´');
}

function toCsv({ header, rows }: Table): string {
  const lines = [header, ...rows.map(({ cells }) => cells)];
  return lines.map((cells) => cells.map(quoteCell).join(',')).join('\r\n');
}

/** Quotes a cell that begins like a formula: spreadsheets would run it. */
function quoteCell(cell: string): string {
  const words = toPlainCell(cell);
  const safe = /^[=+\-@\t\r]/.test(words) && !/^[+-]?[\d.,]+%?$/.test(words) ? `'${words}` : words;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
