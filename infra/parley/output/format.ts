import { formatDollars as format } from '../../../shared/utils/index.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Formats a duration in ms: `340 ms`, `2.3 s`, `4 min 10 s`, `3 h 20 min`, `5 d 2 h`. `-` for undefined. */
export function formatDuration(ms: number | undefined): string {
  if (ms === undefined) return '-';
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const pair = (large: number, largeUnit: string, small: number, smallUnit: string): string => {
    const rest = Math.floor((ms % large) / small);
    return `${Math.floor(ms / large)} ${largeUnit}${rest > 0 ? ` ${rest} ${smallUnit}` : ''}`;
  };
  if (ms < HOUR_MS) return pair(MINUTE_MS, 'min', SECOND_MS, 's');
  return ms < DAY_MS ? pair(HOUR_MS, 'h', MINUTE_MS, 'min') : pair(DAY_MS, 'd', HOUR_MS, 'h');
}

/** Formats a time (ms since 1970) as `2026-11-27 17:20:55` in UTC. */
export const formatTime = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** Formats dollars as the bot does: `$0.000037`, `$1.25`. `-` for undefined. */
export const formatDollars = (dollars: number | undefined): string =>
  dollars === undefined ? '-' : format(dollars, 'en');

const DURATION = /^(?<count>\d{1,6})\s*(?<unit>s|m|h|d)$/u;
const UNITS_MS: Readonly<Record<string, number>> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Parses `90s`, `15m`, `2h` or `7d` to ms; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const { count, unit = '' } = DURATION.exec(text.trim())?.groups ?? {};
  const unitMs = UNITS_MS[unit];
  return count === undefined || unitMs === undefined ? undefined : Number(count) * unitMs;
}

/** Formats a number with its noun: `1 request`, `2 requests`. */
export const formatCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
