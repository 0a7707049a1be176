/** The time of day in that zone, as it is said to people: `14:05 (Europe/Berlin)`. The zone is a valid one. */
export function clockTime(ms: number, zone = 'UTC'): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  return `${time.format(ms)} ${zone === 'UTC' ? 'UTC' : `(${zone})`}`;
}

/** The next full minute: who comes at the time that was said is not too early. */
export const fullMinute = (ms: number): number => Math.ceil(ms / 60_000) * 60_000;
