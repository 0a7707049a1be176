/** Run times of EventBridge Scheduler schedules. Pure: times are ms since 1970, in UTC. */

const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['', 'SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const YEAR_MS = 366 * 86_400_000;

/**
 * Returns the first run after `after`; `started` is the start of a rate. Supports `rate(N minutes|hours|days)` and
 * `cron(minute hour day month weekday year)` with numbers, names, lists, ranges and steps, without L, W and #. Throws for
 * anything else; undefined when there is no run within a year.
 */
export function getNextRun(expression: string, after: number, started: number): number | undefined {
  const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  if (rate !== null) {
    const period = Number(rate[1]) * (UNITS[rate[2] ?? ''] ?? 0);
    if (period <= 0) throw new Error(`The schedule ${expression} never runs`);
    return started + (Math.floor((after - started) / period) + 1) * period;
  }
  const cron = /^cron\((\S+) (\S+) (\S+) (\S+) (\S+) (\S+)\)$/.exec(expression);
  if (cron === null) throw new Error(`The local system does not know the schedule ${expression}`);
  const [, minute = '', hour = '', day = '', month = '', weekday = '', year = ''] = cron;
  const fits = {
    minute: parseField(minute, 0, 59, []),
    hour: parseField(hour, 0, 23, []),
    day: parseField(day, 1, 31, []),
    month: parseField(month, 1, 12, ['', ...MONTHS]),
    weekday: parseField(weekday, 1, 7, DAYS),
    year: parseField(year, 1970, 2199, []),
  };
  let at = Math.floor(after / 60_000) * 60_000 + 60_000;
  for (const end = after + YEAR_MS; at <= end;) {
    const time = new Date(at);
    const dayFits =
      fits.year(time.getUTCFullYear()) &&
      fits.month(time.getUTCMonth() + 1) &&
      fits.day(time.getUTCDate()) &&
      fits.weekday(time.getUTCDay() + 1);
    if (!dayFits) at = Math.floor(at / 86_400_000) * 86_400_000 + 86_400_000;
    else if (!fits.hour(time.getUTCHours())) at = Math.floor(at / 3_600_000) * 3_600_000 + 3_600_000;
    else if (!fits.minute(time.getUTCMinutes())) at += 60_000;
    else return at;
  }
  return undefined;
}

/** Parses one field: `*`, `?`, `5`, `MON`, `1-5`, `1,3`, `0/15` and combinations. */
function parseField(
  text: string,
  least: number,
  most: number,
  names: readonly string[],
): (value: number) => boolean {
  const allowed = new Set<number>();
  for (const part of text.split(',')) {
    const [range = '', step] = part.split('/');
    const [from = '', to] = range.split('-');
    const any = range === '*' || range === '?';
    const first = any ? least : parseNumber(from, names);
    const last = any || (step !== undefined && to === undefined) ? most : parseNumber(to ?? from, names);
    const by = step === undefined ? 1 : parseNumber(step, []);
    if (first < least || last > most || by < 1)
      throw new Error(`The local system does not know ${text} in a schedule`);
    for (let value = first; value <= last; value += by) allowed.add(value);
  }
  return (value) => allowed.has(value);
}

function parseNumber(text: string, names: readonly string[]): number {
  const named = names.indexOf(text.toUpperCase());
  const value = text !== '' && named > 0 ? named : Number(text === '' ? Number.NaN : text);
  if (!Number.isInteger(value)) throw new Error(`The local system does not know ${text} in a schedule`);
  return value;
}
