import type { Percentiles } from './dashboard-data.ts';

/** Returns the smallest value that at least this share (0 to 1) of the values do not exceed; undefined without values. */
export function calculatePercentile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

export const calculatePercentiles = (values: readonly number[]): Percentiles => ({
  p50: calculatePercentile(values, 0.5),
  p95: calculatePercentile(values, 0.95),
});
