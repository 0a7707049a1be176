import { expect, test } from '@jest/globals';
import { formatMoment, localize, LOCALES } from '../../shared/i18n/index.ts';
import type { UsageCounters } from '../../shared/storage/index.ts';
import { formatWeek, createSummaryCard } from '../../shared/weekly-summary/summary-card.ts';
import { getWeeks, sumWeek, type WeekTotals } from '../../shared/weekly-summary/week-totals.ts';

const DOLLAR = 10n ** 18n;
const model = (requests: number, unknown = 0) => ({
  m: { requests, prompt: 1, cached: 0, completion: 1, atto: DOLLAR, unknown, estimated: 0 },
});
const total = (more: Partial<UsageCounters> = {}) => ({
  atto: DOLLAR,
  requests: 1,
  questions: 0,
  failures: 0,
  models: model(1),
  ...more,
});

test('weeks are whole days, without today', () => {
  expect(getWeeks('2026-03-02')).toEqual({
    week: { first: '2026-02-23', last: '2026-03-01' },
    before: { first: '2026-02-16', last: '2026-02-22' },
  });
});

test('a week counts people once, and money once', () => {
  const days = [
    { date: '2026-11-15', people: ['U9'] },
    { date: '2026-11-16', people: ['U1'], total: total({ questions: 2, failures: 1 }) },
    { date: '2026-11-17', people: ['U1', 'U2'] },
    // Its budget was reset after the booking.
    {
      date: '2026-11-22',
      people: [],
      total: total({ questions: 3, models: model(2, 2), atto: 0n, requests: 0 }),
    },
    { date: '2026-11-23', people: [], total: total({ questions: 50, failures: 50 }) },
  ];
  const ratings = [
    { date: '2026-11-15', good: true },
    { date: '2026-11-16', good: true },
    { date: '2026-11-22', good: false },
  ];
  expect(sumWeek({ first: '2026-11-16', last: '2026-11-22' }, days, ratings)).toEqual({
    questions: 5,
    failures: 1,
    people: 2,
    atto: 2n * DOLLAR,
    unpriced: 2,
    good: 1,
    bad: 1,
  });
});

const QUIET: WeekTotals = {
  questions: 0,
  failures: 0,
  people: 0,
  atto: 0n,
  unpriced: 0,
  good: 0,
  bad: 0,
};
const TOTALS: WeekTotals = { ...QUIET, questions: 1_200, people: 4, atto: 3n * DOLLAR, good: 7, failures: 2 };
const WEEK = { first: '2026-11-16', last: '2026-11-22' };
const cardOf = (totals: WeekTotals, before: WeekTotals, locale: (typeof LOCALES)[number] = 'en') =>
  createSummaryCard({ week: WEEK, totals, before, zone: 'Europe/Berlin' }, locale, '/parley weekly off');

test('a summary compares with the week before', () => {
  const before = { ...QUIET, questions: 800, people: 4, atto: 4n * DOLLAR, good: 1, bad: 1 };
  const card = cardOf(TOTALS, before);
  expect(card.title).toMatch(/^The week 16\s*–\s*22 November$/u);
  const [fields, note] = card.parts;
  expect(fields?.kind === 'fields' && fields.fields.map(({ name, value }) => `${name}: ${value}`)).toEqual([
    'Answered questions: 1,200 (800, +50%)',
    'People: 4 (4)',
    'Cost: $3.00 ($4.00, -25%)',
    'Ratings: 👍 7 · 👎 0 (👍 1 · 👎 1)',
    'Without an answer: 2 (0)',
  ]);
  expect(note).toEqual({
    kind: 'note',
    markdown:
      'In brackets: the week before. Whole days in Europe/Berlin, totals of everybody. To end this: `/parley weekly off`.',
  });
});

test('costs without a price are not shown as nothing', () => {
  const card = cardOf({ ...TOTALS, unpriced: 3 }, { ...QUIET, unpriced: 1 });
  expect(JSON.stringify(card)).toContain('$3.00 and 3 requests of unknown cost (cost unknown)');
});

test('a week without questions says so', () => {
  expect(JSON.stringify(cardOf(QUIET, { ...QUIET, questions: 1 }))).toContain(
    'In the week before it was one',
  );
  expect(JSON.stringify(cardOf(QUIET, QUIET))).toContain('as in the week before');
  expect(cardOf({ ...QUIET, failures: 1 }, QUIET).parts[0]?.kind).toBe('fields');
});

test.each(LOCALES)('a summary in %s has days, times and all texts', (locale) => {
  expect(JSON.stringify(cardOf(TOTALS, TOTALS, locale))).toContain(localize(locale, 'weekly.people'));
  expect(formatWeek(WEEK, locale)).toMatch(/16.*22/u);
  expect(formatMoment(Date.parse('2026-11-30T08:00:00Z'), 'Europe/Berlin', locale)).toMatch(/30.*09:00/u);
});
