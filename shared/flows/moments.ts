/** The time of day in that zone, as it is said to people: `14:05 (Europe/Berlin)`. A zone that is none counts as UTC. */
export function clockTime(ms: number, zone = 'UTC'): string {
  const name = isZone(zone) ? zone : 'UTC';
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: name, hour: '2-digit', minute: '2-digit' });
  return `${time.format(ms)} ${name === 'UTC' ? 'UTC' : `(${name})`}`;
}

/** Whether this names a time zone (IANA). */
export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** When to come back: a short wait by its length, a longer one by the clock. */
export function when(afterMs: number, nowMs: number, zone?: string): string {
  return afterMs <= 60_000 ? 'in a minute' : `at ${clockTime(Math.ceil((nowMs + afterMs) / 60_000) * 60_000, zone)}`;
}
