/** One measured figure. `limit` is the maximum, `least` the minimum; without either it is only reported. */
export type Row = {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly limit?: number;
  readonly least?: number;
};

/** The value at or below which `share` of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.what,
    `${Math.round(row.value * 100) / 100} ${row.unit}`,
    wanted(row),
    wanted(row) === '' ? '' : isMet(row) ? 'ok' : 'MISSED',
  ]);
  const head = ['figure', 'measured', 'wanted', ''];
  const widths = head.map((title, i) => Math.max(title.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), ...cells.map(line)].join('\n');
}

function wanted({ unit, limit, least }: Row): string {
  const bounds = [
    least === undefined ? '' : `>= ${least} ${unit}`,
    limit === undefined ? '' : `<= ${limit} ${unit}`,
  ];
  return bounds.filter(Boolean).join(', ');
}

/** Whether a figure is within its limits. */
export const isMet = ({ value, limit = Infinity, least = -Infinity }: Row): boolean =>
  value <= limit && value >= least;
