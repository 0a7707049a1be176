import { isUnsettledLine } from './draw-headings.ts';
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

/**
 * The length of the text before a table that may be incomplete, or before an incomplete line that may be drawn otherwise: that text is
 * drawn the same, however the text continues.
 */
export function getSettledLength(text: string): number {
  const whole = text.lastIndexOf('\n') + 1;
  const last = tablesIn(text).at(-1);
  // An incomplete line may become a row of the table above it.
  if (last && last.end >= whole) return last.start;
  // A line with a bar may be a header; the incomplete line below it may become its dashes.
  const above = whole < 2 ? 0 : text.lastIndexOf('\n', whole - 2) + 1;
  if (text.slice(above, whole).includes('|')) return above;
  const line = text.slice(whole);
  return line.includes('|') || isUnsettledLine(line) ? whole : text.length;
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

/** Marks above and below letters, joiners, colours of skin, vowels of composed Korean syllables, and the tags of flags. */
const WITHOUT_WIDTH = /[\u200c\u200d]|[\p{Mn}\p{Me}\p{Emoji_Modifier}\u1160-\u11ff\u{e0020}-\u{e007f}]/u;
const EMOJI = /\p{Extended_Pictographic}/u;

/** The width in columns. Chinese, Japanese and Korean letters and emoji take two, also emoji of several characters. */
function measureWidth(text: string): number {
  let width = 0;
  let last = '';
  for (const char of text) {
    // Makes an emoji of the character before it, such as a digit.
    if (char === '\ufe0f') width += WIDE.test(last) ? 0 : 1;
    else if (!WITHOUT_WIDTH.test(char) && !(last === '\u200d' && EMOJI.test(char)))
      width += WIDE.test(char) ? 2 : 1;
    last = char;
  }
  return width;
}

const CODE_SPAN = /`([^`]*)`/g;
/** Pairs only, and none inside of words: `2**8` and `snake__case` have no markup. The limit keeps the search linear. */
const EMPHASIS = /(?<!\w)(\*\*|__|~~)(?=\S)(.{1,500}?)(?<=\S)\1(?!\w)/g;

/** Drawn tables and files have no inline Markdown, and a cell must not end the block of code. What is code in it stays as it is. */
function toPlainCell(cell: string): string {
  const codes: string[] = [];
  const prose = cell.replaceAll(CODE_SPAN, (_, code: string) => {
    // Within a table, code escapes the vertical bar too.
    codes.push(code.replaceAll('\\|', '|'));
    return '\0';
  });
  return (
    prose
      // Twice, for one within another.
      .replaceAll(EMPHASIS, '$2')
      .replaceAll(EMPHASIS, '$2')
      .replaceAll('`', '')
      .replaceAll(/<br ?\/?>/gi, ' ')
      .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
      .replaceAll('`', '´')
      .replaceAll('\0', () => codes.shift() ?? '')
  );
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
