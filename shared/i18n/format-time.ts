/** Formats the time of day in a valid time zone: `14:05 (Europe/Berlin)`. */
export function formatClockTime(ms: number, zone = 'UTC'): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  return `${time.format(ms)} ${zone === 'UTC' ? 'UTC' : `(${zone})`}`;
}

/** Rounds up to the next full minute, so that people who come at the displayed time are not too early. */
export const ceilToMinute = (ms: number): number => Math.ceil(ms / 60_000) * 60_000;
