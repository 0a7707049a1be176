import { type Card, type CardControl, type CardPart, formatMention } from '../../../domain/index.ts';
import { formatMoment, type Locale, localize, weekdayLabels } from '../../../i18n/index.ts';
import { formatTimeOfDay, isTimeZone, type Recurrence, WEEKDAYS } from '../../../schedules/rules/index.ts';
import type { Schedule } from '../../../storage/index.ts';
import { truncateText } from '../../../utils/index.ts';

/** Longer prompts are shortened in a list, in characters. */
const MAX_LISTED_PROMPT = 300;

/** Describes days and time: `Monday to Friday, 09:00 (Europe/Berlin)`. */
function describeRecurrence({ weekdays, minuteOfDay, zone }: Recurrence, locale: Locale): string {
  return `${describeDays(weekdays, locale)}, ${formatTimeOfDay(minuteOfDay)} (${zone})`;
}

/** Says that this system does not know the time zone, so that nothing runs; undefined if it does. */
export const explainUnknownZone = ({ zone }: Recurrence, locale: Locale): string | undefined =>
  isTimeZone(zone) ? undefined : localize(locale, 'usage.quota.no-zone', { amount: zone });

function describeDays(weekdays: Recurrence['weekdays'], locale: Locale): string {
  const days = WEEKDAYS.filter((day) => weekdays.includes(day));
  if (days.length === WEEKDAYS.length) return localize(locale, 'schedule.days.all');
  if (days.join() === WEEKDAYS.slice(0, 5).join()) return localize(locale, 'schedule.days.workdays');
  return days.map((day) => localize(locale, weekdayLabels[day])).join(', ');
}

/** What a schedule does: its prompt, or which summary. */
export function describeContent({ content }: Pick<Schedule, 'content'>, locale: Locale): string {
  switch (content.kind) {
    case 'prompt':
      return content.prompt;
    case 'digest':
      return localize(locale, `schedule.digest.${content.period}`);
    case 'weekly-summary':
      return '';
  }
}

/** Says whose schedule it is, and when it runs. */
export const describeAuthor = (
  { by, recurrence }: Pick<Schedule, 'by' | 'recurrence'>,
  locale: Locale,
): CardPart => ({
  kind: 'note',
  markdown: localize(locale, 'schedule.note', {
    who: formatMention(by),
    when: describeRecurrence(recurrence, locale),
  }),
  people: [by],
});

/** Shows a schedule, with its buttons. */
export function createScheduleParts(schedule: Schedule, locale: Locale): CardPart[] {
  const { by, channel, recurrence, dueMs, isPaused } = schedule;
  const people = [by, ...(channel === undefined ? [] : [`#${channel}`])];
  const next = isPaused
    ? localize(locale, 'schedule.paused')
    : (explainUnknownZone(recurrence, locale) ?? formatMoment(dueMs, recurrence.zone, locale));
  const text = truncateText(describeContent(schedule, locale), MAX_LISTED_PROMPT);
  return [
    { kind: 'text', markdown: text },
    {
      kind: 'fields',
      fields: [
        { name: localize(locale, 'weekly.where'), value: people.toReversed().map(formatMention).join(' · ') },
        { name: localize(locale, 'schedule.when'), value: describeRecurrence(recurrence, locale) },
        { name: localize(locale, 'schedule.next'), value: next },
      ],
      people,
    },
    { kind: 'controls', controls: scheduleControls(schedule, locale) },
  ];
}

/** The operations of a schedule's buttons: `schedule.pause|id`. */
export type ScheduleOperation = 'pause' | 'resume' | 'run' | 'delete';

function scheduleControls({ id, isPaused }: Schedule, locale: Locale): CardControl[] {
  const button = (operation: ScheduleOperation, more: { confirm?: string; style?: 'danger' } = {}) => ({
    kind: 'button' as const,
    label: localize(locale, `schedule.${operation}`),
    action: { name: `schedule.${operation}`, args: [id] },
    ...more,
  });
  const confirm = localize(locale, 'schedule.delete-confirm');
  return [
    ...(isPaused ? [button('resume')] : [button('pause'), button('run')]),
    button('delete', { style: 'danger', confirm }),
  ];
}

/** Shows one schedule below a title or sentence. */
export const createScheduleCard = (title: string, schedule: Schedule, locale: Locale): Card => ({
  title,
  tone: 'good',
  parts: createScheduleParts(schedule, locale),
});
