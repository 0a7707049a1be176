import { type Card, formatMention } from '../domain/index.ts';
import { formatMoment, type Locale, localize, weekdayLabels } from '../i18n/index.ts';
import { formatTimeOfDay, isTimeZone } from '../schedules/rules/index.ts';
import type { Schedule } from '../storage/index.ts';

/** Shows who gets a summary, when, and when next. */
export function createSubscriptionParts(
  { by, channel, recurrence, dueMs }: Schedule,
  locale: Locale,
): Card['parts'] {
  const { weekdays, minuteOfDay, zone } = recurrence;
  const target = channel === undefined ? by : `#${channel}`;
  const next = isTimeZone(zone)
    ? formatMoment(dueMs, zone, locale)
    : localize(locale, 'usage.quota.no-zone', { amount: zone });
  const days = weekdays.map((day) => localize(locale, weekdayLabels[day])).join(', ');
  const fields = [
    { name: localize(locale, 'weekly.where'), value: formatMention(target) },
    {
      name: localize(locale, 'weekly.when'),
      value: `${days}, ${formatTimeOfDay(minuteOfDay)} (${zone})`,
    },
    { name: localize(locale, 'weekly.next'), value: next },
  ];
  return [{ kind: 'fields', fields, people: [target] }];
}
