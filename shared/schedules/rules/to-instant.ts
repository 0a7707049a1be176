const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** By time zone: creating a format takes long. */
const formats = new Map<string, Intl.DateTimeFormat>();

function getFormat(timeZone: string): Intl.DateTimeFormat {
  const cached = formats.get(timeZone);
  if (cached) return cached;
  const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, ...date, ...clock });
  formats.set(timeZone, format);
  return format;
}

/** Returns what the clocks of a valid time zone show, as if it were UTC (ms since 1970, whole seconds). */
export function getWallClockMs(ms: number, zone: string): number {
  const parts = new Map(
    getFormat(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/**
 * Returns the moment (ms since 1970) at which the clocks of a time zone show a date (`2026-11-21`) and a time of day. Where
 * clocks change, as RFC 5545 (section 3.3.5) says: a time that is shown twice means the first moment; a time that is skipped is
 * shifted by the length of the gap (2:30 becomes 3:30).
 */
export function toInstant(date: string, minuteOfDay: number, zone: string): number {
  const wallMs = Date.parse(`${date}T00:00:00Z`) + minuteOfDay * MINUTE_MS;
  const getOffsetMs = (ms: number): number => getWallClockMs(ms, zone) - Math.floor(ms / 1000) * 1000;
  // Clocks change at most once within these two days.
  const [before, after] = [wallMs - getOffsetMs(wallMs - DAY_MS), wallMs - getOffsetMs(wallMs + DAY_MS)];
  const moments = [before, after].filter((ms) => getWallClockMs(ms, zone) === wallMs);
  return moments.length > 0 ? Math.min(...moments) : before;
}
