import { formatBookedCost } from '../billing/index.ts';
import type { Card, CardField } from '../domain/index.ts';
import { getDateLocale, type Locale, localize } from '../i18n/index.ts';
import { isQuiet, type Week, type WeekTotals } from './week-totals.ts';

/** What a summary shows. */
export type WeeklySummary = {
  readonly week: Week;
  readonly totals: WeekTotals;
  /** The week before. */
  readonly before: WeekTotals;
  /** The time zone of the days. */
  readonly zone: string;
};

/** Shows a summary. `command` ends the subscription; absent if there is none to end. */
export function createSummaryCard(
  { week, totals, before, zone }: WeeklySummary,
  locale: Locale,
  command?: string,
): Card {
  const title = localize(locale, 'weekly.title', { period: formatWeek(week, locale) });
  const note = [
    localize(locale, 'weekly.note', { zone }),
    ...(command === undefined ? [] : [localize(locale, 'weekly.stop', { command })]),
  ].join(' ');
  const notePart = { kind: 'note', markdown: note } as const;
  if (isQuiet(totals)) {
    const quiet = localize(locale, 'weekly.quiet', { count: before.questions });
    return { title, parts: [{ kind: 'text', markdown: quiet }, notePart] };
  }
  return { title, parts: [{ kind: 'fields', fields: summaryFields(totals, before, locale) }, notePart] };
}

function summaryFields(totals: WeekTotals, before: WeekTotals, locale: Locale): CardField[] {
  const count = (key: 'questions' | 'people' | 'failures'): CardField => ({
    name: localize(locale, `weekly.${key}`),
    value: compare(
      formatNumber(totals[key], locale),
      formatNumber(before[key], locale),
      formatChange(totals[key], before[key], locale),
      locale,
    ),
  });
  const change = formatChange(toMicrodollars(totals.atto), toMicrodollars(before.atto), locale);
  return [
    count('questions'),
    count('people'),
    {
      name: localize(locale, 'weekly.cost'),
      value: compare(formatCost(totals, locale), formatCost(before, locale), change, locale),
    },
    {
      name: localize(locale, 'weekly.ratings'),
      value: compare(formatRatings(totals, locale), formatRatings(before, locale), '', locale),
    },
    count('failures'),
  ];
}

/** `120 (107, +12 %)`: the week, and in brackets the week before and the change. */
const compare = (now: string, before: string, change: string, locale: Locale): string =>
  localize(locale, 'weekly.compared', {
    now,
    before: [before, change].filter((one) => one !== '').join(', '),
  });

const formatNumber = (count: number, locale: Locale): string => new Intl.NumberFormat(locale).format(count);

/** Precise enough for percents. */
const toMicrodollars = (atto: bigint): number => Number(atto / 10n ** 12n);

/** The change in percent; empty without anything to compare with, and if nothing changed. */
function formatChange(now: number, before: number, locale: Locale): string {
  if (before === 0 || now === before) return '';
  const format = new Intl.NumberFormat(locale, {
    style: 'percent',
    signDisplay: 'exceptZero',
    maximumFractionDigits: 0,
  });
  return format.format((now - before) / before);
}

const formatCost = ({ atto, unpriced }: WeekTotals, locale: Locale): string =>
  formatBookedCost(atto, unpriced, locale);

const formatRatings = ({ good, bad }: WeekTotals, locale: Locale): string =>
  `👍 ${formatNumber(good, locale)} · 👎 ${formatNumber(bad, locale)}`;

/** Formats a week: `16 – 22 November`. */
export function formatWeek({ first, last }: Week, locale: Locale): string {
  const format = new Intl.DateTimeFormat(getDateLocale(locale), {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
  return format.formatRange(Date.parse(first), Date.parse(last));
}
