import type { Locale } from './locale.ts';

/** Formats the time of day in a valid time zone: `14:05 (Europe/Berlin)`. */
export function formatClockTime(ms: number, zone = 'UTC'): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  return `${time.format(ms)} ${formatZone(zone)}`;
}

const formatZone = (zone: string): string => (zone === 'UTC' ? 'UTC' : `(${zone})`);

/** Rounds up to the next full minute, so that people who come at the displayed time are not too early. */
export const roundUpToMinute = (ms: number): number => Math.ceil(ms / 60_000) * 60_000;

/** The locale for dates: days before months, also in English. */
export const getDateLocale = (locale: Locale): string => (locale === 'en' ? 'en-GB' : locale);

/** Formats a moment in a valid time zone: `Mon 30 Nov, 09:00`. For texts that name the zone elsewhere. */
export function formatMoment(ms: number, zone: string, locale: Locale): string {
  const day = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat(getDateLocale(locale), { ...day, ...clock, timeZone: zone }).format(ms);
}

/** Formats a moment with its time zone, which must be valid: `Mon 30 Nov, 09:00 (Europe/Berlin)`. */
export const formatMomentInZone = (ms: number, zone: string, locale: Locale): string =>
  `${formatMoment(ms, zone, locale)} ${formatZone(zone)}`;

/** Creates a format for moments of the past, with year, second and time zone, which must be valid: `30 Nov 2026, 09:00:05 UTC`. */
export const createLogTimeFormat = (zone: string, locale: Locale): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(getDateLocale(locale), {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZone: zone,
    timeZoneName: 'short',
  });
