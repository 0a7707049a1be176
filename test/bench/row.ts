/** One measured figure. `limit` is what it is to stay within; without one it is only told. */
export type Row = {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly limit?: number;
};

/** The value at or below which `share` of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

export function table(rows: readonly Row[]): string {
  const cells = rows.map(({ what, value, unit, limit }) => [
    what,
    `${Math.round(value * 100) / 100} ${unit}`,
    limit === undefined ? '' : `<= ${limit} ${unit}`,
    limit === undefined ? '' : value <= limit ? 'ok' : 'MISSED',
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
