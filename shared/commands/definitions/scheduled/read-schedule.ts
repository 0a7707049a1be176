import type { TextKey, TextMessage } from '../../../i18n/index.ts';
import {
  isTimeZone,
  isWeekday,
  type ParsedRecurrence,
  parseRecurrenceText,
  parseTimeText,
  parseTypedTime,
  type Recurrence,
  type Weekday,
  WEEKDAYS,
} from '../../../schedules/rules/index.ts';
import type { ScheduleContent } from '../../../storage/index.ts';

/** What a person wants to be done, and when. */
export type RequestedSchedule = {
  readonly recurrence: Recurrence;
  readonly content: Extract<ScheduleContent, { kind: 'prompt' | 'digest' }>;
};

/** Why a request is not understood. `examples`: its text shows how to write it. */
export type ScheduleProblem =
  | { readonly kind: 'text'; readonly text: TextMessage }
  | { readonly kind: 'examples'; readonly key: Extract<TextKey, `schedule.no-${string}`> };

/** Nine in the morning. */
const DEFAULT_MINUTE = 540;

/**
 * Reads the options of the command. Days and time may be options, or the beginning of the text (`every weekday at 9, what is new?`).
 * Options override the text. `defaultZone` is a valid time zone: that of the person.
 */
export function readSchedule(
  { what, days, at, digest, zone: typedZone }: Readonly<Record<string, unknown>>,
  defaultZone: string,
): RequestedSchedule | ScheduleProblem {
  const zone = typeof typedZone === 'string' ? typedZone : defaultZone;
  if (!isTimeZone(zone)) return { kind: 'text', text: ['usage.quota.no-zone', { amount: zone }] };
  const text = typeof what === 'string' ? what.trim() : '';
  const chosen = toWeekdays(days);
  const parsed = parseText(text, chosen, at);
  const weekdays = chosen ?? parsed?.weekdays;
  if (!weekdays) return { kind: 'examples', key: 'schedule.no-when' };
  const typedTime = typeof at === 'string' ? parseTypedTime(at) : undefined;
  if (typeof at === 'string' && typedTime === undefined)
    return { kind: 'text', text: ['weekly.no-time', { time: at }] };
  if (isUnclear(parsed, typedTime)) return { kind: 'examples', key: 'schedule.no-when' };
  const minuteOfDay = typedTime ?? parsed?.minuteOfDay ?? DEFAULT_MINUTE;
  const recurrence = { weekdays, minuteOfDay, zone };
  if (digest === 'yesterday' || digest === 'week')
    return { recurrence, content: { kind: 'digest', period: digest } };
  const prompt = parsed ? parsed.rest : text;
  if (prompt === '') return { kind: 'examples', key: 'schedule.no-prompt' };
  return { recurrence, content: { kind: 'prompt', prompt } };
}

/** Reads days and time at the beginning of a text; with the option for the days but none for the time, also a time alone. */
function parseText(
  text: string,
  chosen: readonly Weekday[] | undefined,
  at: unknown,
): ParsedRecurrence | undefined {
  const parsed = parseRecurrenceText(text);
  if (parsed || !chosen || at !== undefined) return parsed;
  return { weekdays: chosen, ...parseTimeText(text) };
}

/** Whether the days or the time of a text may be others than those that were understood. An option says the time for sure. */
const isUnclear = (parsed: ParsedRecurrence | undefined, typedTime: number | undefined): boolean =>
  parsed !== undefined && (parsed.hasException || (typedTime === undefined && parsed.hasTrailingTime));

function toWeekdays(days: unknown): readonly Weekday[] | undefined {
  if (days === 'every-day') return WEEKDAYS;
  if (days === 'weekdays') return WEEKDAYS.slice(0, 5);
  return isWeekday(days) ? [days] : undefined;
}
