import { parseTimeOfDay, type Recurrence, type Weekday, WEEKDAYS } from './recurrence.ts';
import {
  CHINESE_DAYS,
  DAY_WORDS,
  type DayWords,
  EXCEPTION,
  FILLER,
  FRACTIONS,
  FROM,
  HOURS,
  MORE_DAYS,
  SHORT_DAYS,
  TRAILING_DAY_PART,
  TRAILING_TIME,
  MORE_TIME,
  TIME,
  UNTIL,
  ZONE,
} from './recurrence-words.ts';
import { OTHER_RHYTHM } from './rhythm-words.ts';

/** What a text says about days and time, and what follows. */
export type ParsedRecurrence = Pick<Recurrence, 'weekdays'> & {
  /** Minutes since midnight; undefined if the text says no time. */
  readonly minuteOfDay: number | undefined;
  /** The text behind them. */
  readonly rest: string;
  /** Whether a time, a part of the day, or more of the time seems to follow there: `every day at 9 and 17, …`. Nobody should guess what was meant. */
  readonly hasTrailingTime: boolean;
  /** Whether something follows there that changes the days: `every day at 9 except Sunday, …`, `mondays every other week, …`, `周一到五新闻`, or days that may be the request's: `every day at 9, weekend weather`. */
  readonly hasException: boolean;
};

/** Reads a text from left to right. */
class Reader {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Skips what the sticky pattern matches here; undefined if it does not match. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match) this.at += match[0].length;
    return match ?? undefined;
  }

  /** Calls `read`; goes back if it finds nothing. */
  attempt<T>(read: () => T | undefined): T | undefined {
    const before = this.at;
    const result = read();
    if (result === undefined) this.at = before;
    return result;
  }
}

/**
 * Parses days and a time at the beginning of a text in any of the eight languages: `every weekday at 9, what is new?`,
 * `montags und freitags um 16:30`, `毎日9時に`. Undefined if it does not begin with days, or has an impossible time. `every day` with other days is
 * those where a time follows them, or a range begins with `from`: `every day from Monday to Friday`. Behind a time and a colon, days are the
 * request's: `every day at 9: Monday's numbers`. Words are those of `recurrence-words.ts`; other phrases (`every second Monday`) are not understood, and
 * not guessed.
 */
export function parseRecurrenceText(text: string): ParsedRecurrence | undefined {
  const { weekdays, minuteOfDay, end, isUnclear } = readStart(text);
  if (weekdays.length === 0 || minuteOfDay === IMPOSSIBLE) return undefined;
  const behind = text.slice(end);
  const rest = withoutLeading(behind);
  const hasTrailingTime =
    minuteOfDay === undefined
      ? TRAILING_TIME.test(rest) || TRAILING_DAY_PART.test(rest)
      : hasMoreTime(behind, rest);
  const reader = new Reader(text);
  reader.at = end;
  const hasException =
    isUnclear || EXCEPTION.test(rest) || OTHER_RHYTHM.test(rest) || reader.take(MORE_DAYS) !== undefined;
  return { weekdays, minuteOfDay, rest, hasTrailingTime, hasException };
}

/**
 * Parses a text for which the days are known: it may begin with a time (`at 16:30 the numbers`). An impossible time, and one that may be a duration
 * (`16h les chiffres`), count as unclear: `hasTrailingTime`.
 */
export function parseTimeText(text: string): Omit<ParsedRecurrence, 'weekdays'> {
  const hours = HOURS_OR_TIME.exec(text)?.[1];
  const { minuteOfDay, end } =
    hours === undefined ? readStart(text, true) : { minuteOfDay: undefined, end: 0 };
  const isTime = minuteOfDay !== undefined && minuteOfDay !== IMPOSSIBLE;
  const behind = text.slice(end);
  const rest = isTime ? withoutLeading(behind) : text.trim();
  const hasTrailingTime = isTime
    ? hasMoreTime(behind, rest)
    : minuteOfDay === IMPOSSIBLE || Number(hours ?? 24) < 24 || TRAILING_TIME.test(rest);
  const hasException = EXCEPTION.test(rest) || OTHER_RHYTHM.test(rest);
  return { minuteOfDay: isTime ? minuteOfDay : undefined, rest, hasTrailingTime, hasException };
}

/**
 * Reads the days and the time at the beginning of a text, up to `end`. No weekdays: it names none. Unclear: beside `every day` it names other days, which
 * may be the request's. Where the days are known, those behind the time are the request's.
 */
function readStart(text: string, areDaysKnown = false) {
  const reader = new Reader(text);
  const start = createStart();
  while (reader.at < text.length && !isRequest(start, areDaysKnown)) {
    const read = readDays(reader);
    const time = read || start.minuteOfDay !== undefined ? undefined : reader.attempt(() => readTime(reader));
    if (read) addDays(start, read, reader.at);
    else if (time !== undefined)
      Object.assign(start, { minuteOfDay: time, isUnclear: false, end: reader.at, filler: '' });
    else {
      const skipped = reader.take(FILLER);
      if (!skipped) break;
      start.filler += skipped[0];
    }
  }
  const { days, isDaily, minuteOfDay, end, isUnclear } = start;
  const weekdays = days.size === 0 && isDaily ? WEEKDAYS : WEEKDAYS.filter((day) => days.has(day));
  return { weekdays, minuteOfDay, end, isUnclear };
}

/** What was read of the beginning of a text. */
type Start = {
  readonly days: Set<Weekday>;
  isDaily: boolean;
  isUnclear: boolean;
  minuteOfDay: number | undefined;
  end: number;
  /** The filler since the last days or time. */
  filler: string;
};

const createStart = (): Start => ({
  days: new Set(),
  isDaily: false,
  isUnclear: false,
  minuteOfDay: undefined,
  end: 0,
  filler: '',
});

/** Whether the request begins here for certain, also if it begins with days. */
const isRequest = ({ days, isDaily, minuteOfDay, filler }: Start, areDaysKnown: boolean): boolean =>
  minuteOfDay !== undefined && (areDaysKnown || ((isDaily || days.size > 0) && COLON.test(filler)));

function addDays(start: Start, read: Days, at: number): void {
  const isRange = FROM.test(start.filler) && read.weekdays.length > 2;
  if (start.isDaily && !read.isDaily && !isRange) start.isUnclear = true;
  // Behind other days, `daily` changes nothing, and may be the request's: `mondays at 9, daily numbers`.
  if (!read.isDaily || start.days.size === 0) start.end = at;
  if (read.isDaily) start.isDaily = true;
  else for (const day of read.weekdays) start.days.add(day);
  start.filler = '';
}

const COLON = /[:：]/u;
/** An impossible time of day: `25:00`. */
const IMPOSSIBLE = -1;
/** At the beginning of a text, hours: a duration in one language, a time in another. With punctuation or minutes behind it, it is a time. */
const HOURS_OR_TIME = /^(\d{1,2})\s?(?:h|heures?|horas?)(?!\p{L})(?!\s*[\d,，;；:：])/iu;

/** Whether what is behind a time changes it or is another one: `montags um 9 und freitags um 10: …`. */
const hasMoreTime = (behind: string, rest: string): boolean =>
  MORE_TIME.test(behind) || ZONE.test(behind) || (readTime(new Reader(rest.replace(/^の/u, ''))) ?? -1) >= 0;

/** What may be between the time and the request. Particles stand directly behind a word, or alone: ` 지난주` and ` 에너지` begin a request. */
const LEADING =
  /^(?:\s+(?:まで|까지)?[に에]?(?=[\s,，、;；:：])|(?:まで|까지)?[に에]?)[\s,，、;；:：.。·・･–—-]*/u;

const withoutLeading = (behind: string): string => behind.replace(LEADING, '').trim();

/** Reads a day, several (`weekdays`), or a range of days. */
function readDays(reader: Reader): Days | undefined {
  const from = readDayWords(reader);
  const [first] = from?.weekdays ?? [];
  if (from?.weekdays.length !== 1 || first === undefined) return from;
  const last = reader.attempt(() => {
    const days = reader.take(UNTIL) && readDayWords(reader)?.weekdays;
    return days?.length === 1 ? days[0] : undefined;
  });
  const [end] = last === undefined ? readShortDays(reader, SHORT_DAYS.last) : [last];
  if (end !== undefined) return { weekdays: listDays(first, end) };
  return { weekdays: [first, ...readShortDays(reader, SHORT_DAYS.more)] };
}

type Days = Pick<DayWords, 'weekdays' | 'isDaily'>;

/** Reads Chinese days without `周`. */
const readShortDays = (reader: Reader, pattern: RegExp): readonly Weekday[] =>
  Array.from(reader.take(pattern)?.[1] ?? '').flatMap(
    (character) => WEEKDAYS[CHINESE_DAYS.findIndex((day) => day.includes(character))] ?? [],
  );

const readDayWords = (reader: Reader): Days | undefined =>
  DAY_WORDS.find(({ pattern }) => reader.take(pattern));

/** From one day to another, both included; `saturday` to `monday` are three. */
function listDays(first: Weekday, last: Weekday): readonly Weekday[] {
  const [from, to] = [WEEKDAYS.indexOf(first), WEEKDAYS.indexOf(last)];
  const count = ((to - from + WEEKDAYS.length) % WEEKDAYS.length) + 1;
  return [...WEEKDAYS, ...WEEKDAYS].slice(from, from + count);
}

/**
 * Parses a time of day that stands alone, in any of the eight languages: `9`, `9:30`, `um 9 Uhr`, `a las 9`, `9時半`. Undefined if it is none, or more
 * than that.
 */
export function parseTypedTime(text: string): number | undefined {
  const typed = text.normalize('NFKC').trim();
  const reader = new Reader(typed);
  const minuteOfDay = parseTimeOfDay(typed) ?? readTime(reader);
  if (minuteOfDay === undefined || minuteOfDay < 0) return undefined;
  reader.take(PARTICLE);
  return reader.at === 0 || reader.at === typed.length ? minuteOfDay : undefined;
}

/** Behind a time, in Japanese and Korean. */
const PARTICLE = /[に에]/uy;

/** Reads a time of day. Undefined if there is none; -1 if it is impossible (`25:00`). */
function readTime(reader: Reader): number | undefined {
  const takes = (pattern: RegExp): boolean => reader.take(pattern) !== undefined;
  const takesFirst = <T>(...patterns: readonly (readonly [RegExp, T])[]): T | undefined =>
    patterns.find(([pattern]) => takes(pattern))?.[1];
  const takesPart = (): Half | undefined =>
    takesFirst<Half>([TIME.inMorning, 'morning'], [TIME.inAfternoon, 'pm'], [TIME.atNight, 'night']);
  const hasWord = takes(TIME.at);
  const before = takesFirst<number>(...FRACTIONS.before);
  const word = takesFirst([TIME.noon, 12 * 60], [TIME.midnight, 0]);
  if (word !== undefined) return addMinutes(word, before ?? takesFirst<number>(...FRACTIONS.behind));
  const half = takesFirst<Half>([TIME.morning, 'am'], [TIME.afternoon, 'pm'], [TIME.night, 'night']);
  const hour = readHour(reader);
  if (hour === undefined) return undefined;
  const [, minutes, digit] = reader.take(TIME.minute) ?? [];
  const minute = minutes ?? digit ?? (takes(TIME.halfPast) ? '30' : undefined);
  const suffix = takesPart() ?? takesFirst<Half>([TIME.am, 'am'], [TIME.pm, 'pm']);
  const hasClock = takes(TIME.clock);
  const fraction = before ?? (minute === undefined ? takesFirst<number>(...FRACTIONS.behind) : undefined);
  const part = suffix ?? takesPart() ?? half;
  const isTime = [minute, part, fraction].some((one) => one !== undefined) || hasWord || hasClock;
  return isTime ? addMinutes(toMinuteOfDay(hour, Number(minute ?? 0), part), fraction) : undefined;
}

/** Reads an hour in digits or as a word. */
function readHour(reader: Reader): number | undefined {
  const digits = reader.take(TIME.hour)?.[0];
  if (digits !== undefined) return Number(digits);
  const index = HOURS.findIndex((pattern) => reader.take(pattern));
  return index === -1 ? undefined : index + 1;
}

/** Adds minutes to a time of day, past midnight too; an impossible one stays so. */
const addMinutes = (minuteOfDay: number, minutes = 0): number =>
  minuteOfDay < 0 ? minuteOfDay : (minuteOfDay + minutes + 1_440) % 1_440;

/** The half of the day. `morning`: as `am`, but 12 in the morning is midnight for some and noon for others. `night`: from 5 in the evening to 4:59. */
type Half = 'am' | 'pm' | 'morning' | 'night';

/** Returns -1 for an impossible time, and for one that is not clear. Noon is 12 pm; with `am`, 0 and 12 are midnight. */
function toMinuteOfDay(hour: number, minute: number, half: Half | undefined): number {
  if (minute > 59 || hour > 23) return -1;
  if (half === undefined) return hour * 60 + minute;
  if ((half === 'pm' && hour === 0) || (half === 'morning' && hour === 12)) return -1;
  const isAfterNoon = half === 'pm' || (half === 'night' && hour > 4 && hour !== 12);
  const past = hour > 12 ? hour : (hour % 12) + (isAfterNoon ? 12 : 0);
  return past * 60 + minute;
}
