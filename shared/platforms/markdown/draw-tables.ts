import { type Align, type Table, tablesIn } from './tables.ts';

/** Wider code wraps on a screen, and is no table any more. */
const WIDEST = 80;
/** Of a table that is drawn: more is nobody's to read, and one long cell makes every row as long. */
const MAX_CELLS = 5_000;
const MAX_DRAWN = 100_000;

/** A table as a file, where it is too wide to be read in a message. */
export type TableFile = { readonly name: string; readonly csv: string };

/** Text in which tables are drawn in code, where letters have one width, for chats that know no tables. */
export type DrawnTables = { readonly text: string; readonly files: readonly TableFile[] };

/** Draws every table. Those that are too wide come as files too; those that are too large stay as they are beside theirs. */
export function drawTables(text: string): DrawnTables {
  const files: TableFile[] = [];
  let drawn = '';
  let at = 0;
  for (const table of tablesIn(text)) {
    if (table.rows.length === 0) continue;
    const drawing = aligned(table);
    if (drawing) {
      drawn += `${text.slice(at, table.start)}\`\`\`\n${drawing.lines.join('\n')}\n\`\`\`\n`;
      at = table.end;
    }
    if (!drawing || drawing.width > WIDEST)
      files.push({ name: `table-${files.length + 1}.csv`, csv: csvOf(table) });
  }
  return { text: drawn + text.slice(at), files };
}

/** Where a table begins that may not be complete yet: what comes before it will look the same, however the text goes on. */
export function settledLength(text: string): number {
  const whole = text.lastIndexOf('\n') + 1;
  const last = tablesIn(text).at(-1);
  // What is not complete may become a row of the table above it.
  if (last && last.end >= whole) return last.start;
  // A line with a bar may be the header of a table; one that is not complete may be the dashes below it.
  const above = whole < 2 ? 0 : text.lastIndexOf('\n', whole - 2) + 1;
  if (text.slice(above, whole).includes('|')) return above;
  return text.slice(whole).includes('|') ? whole : text.length;
}

/** Undefined for a table that is too large. */
function aligned({
  header,
  rows,
  align,
}: Table): { readonly lines: string[]; readonly width: number } | undefined {
  const cells = [header, ...rows.map((row) => row.cells)].map((row) => row.map(plain));
  const columns = cells.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns * cells.length > MAX_CELLS) return undefined;
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(1, ...cells.map((row) => widthOf(row[column] ?? ''))),
  );
  const width = widths.reduce((sum, each) => sum + each + 2, -2);
  if (width * cells.length > MAX_DRAWN) return undefined;
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
  const room = width - widthOf(cell);
  const before = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0;
  return ' '.repeat(before) + cell + ' '.repeat(room - before);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** In columns: letters of Chinese, Japanese and Korean, and emoji, take two. */
function widthOf(text: string): number {
  let width = 0;
  for (const char of text) width += WIDE.test(char) ? 2 : 1;
  return width;
}

/** Code knows no marks, and must not be ended by a cell. */
function plain(cell: string): string {
  return cell
    .replaceAll(/\*\*|__|~~|`/g, '')
    .replaceAll(/<br ?\/?>/gi, ' ')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
    .replaceAll('`', '´');
}

function csvOf({ header, rows }: Table): string {
  const lines = [header, ...rows.map(({ cells }) => cells)];
  return lines.map((cells) => cells.map(quoted).join(',')).join('\r\n');
}

/** A cell that begins like a formula is none: spreadsheets would run it. */
function quoted(cell: string): string {
  const words = plain(cell);
  const safe = /^[=+\-@\t\r]/.test(words) && !/^[+-]?[\d.,]+%?$/.test(words) ? `'${words}` : words;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
