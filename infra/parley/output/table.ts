import { stripVTControlCharacters } from 'node:util';

export type Column<Row> = {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Numbers are aligned right. */
  readonly isNumber?: boolean;
  /** Never cut: an id that people copy. */
  readonly isWhole?: boolean;
};

const GAP = '  ';
/** A column does not become narrower than this. */
const MIN_CELL_WIDTH = 6;
const CUT = '…';
// The characters are removed because a terminal would execute them.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;

/** Replaces what a terminal would execute: nothing that comes from outside moves the cursor or changes colors. */
export const cleanText = (text: string): string => stripVTControlCharacters(text).replace(CONTROL, ' ');

/**
 * Formats rows as a table with a head, as lines. With a `width` (characters per line) the widest columns are cut so that each
 * line fits; without one nothing is cut.
 */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number | undefined,
): string[] {
  const cells = rows.map((row) => columns.map(({ cell }) => cleanText(cell(row))));
  const table = [columns.map(({ title }) => title), ...cells];
  const wanted = columns.map((_, index) => Math.max(...table.map((line) => line[index]?.length ?? 0)));
  const widths =
    width === undefined ? wanted : fitWidths(wanted, columns, width - GAP.length * (columns.length - 1));
  return table.map((line) =>
    line
      .map((text, index) => alignCell(text, widths[index] ?? 0, columns[index]?.isNumber === true))
      .join(GAP)
      .trimEnd(),
  );
}

/** Cuts the widest columns first, until all fit or none can be cut further. */
function fitWidths(
  wanted: readonly number[],
  columns: readonly { readonly isWhole?: boolean }[],
  available: number,
): number[] {
  const widths = [...wanted];
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const widest = Math.max(0, ...widths.filter((_, index) => columns[index]?.isWhole !== true));
    if (widest <= MIN_CELL_WIDTH) break;
    const index = widths.findIndex((one, at) => one === widest && columns[at]?.isWhole !== true);
    widths[index] = widest - 1;
    excess -= 1;
  }
  return widths;
}

function alignCell(text: string, width: number, isNumber: boolean): string {
  const fitted = text.length > width ? `${text.slice(0, Math.max(0, width - 1))}${CUT}` : text;
  return isNumber ? fitted.padStart(width) : fitted.padEnd(width);
}
