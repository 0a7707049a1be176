import {
  addDays,
  dateInZone,
  formatExactDollars,
  usedShare,
  type Budget,
  type BudgetLimit,
  type Scope,
} from './budgets/index.ts';
import type { Card, CardPart } from '../domain/index.ts';
import type { ModelUsage, UsageCounters } from '../storage/index.ts';
import { formatMomentInZone, getDateLocale, type Locale, localize } from '../i18n/index.ts';
import { formatAttoDollars } from '../utils/index.ts';

/** The usage of one day. */
export type DailyUsage = { readonly date: string; readonly counters: UsageCounters };

/** The content of a usage card. */
export type UsageReport = {
  readonly scope: Exclude<Scope, 'deployment'>;
  /** The time zone in which the days begin. */
  readonly zone: string;
  /** Oldest first, including days without requests. */
  readonly days: readonly DailyUsage[];
  /** The days of this month, for a person's own usage. */
  readonly month?: readonly DailyUsage[] | undefined;
  /** The applicable budgets and their usage. */
  readonly budgets: readonly BudgetUsage[];
};

/** A budget, what is used of it, and when it begins again. */
export type BudgetUsage = {
  readonly budget: Budget;
  readonly counters: UsageCounters;
  /** ms since 1970. */
  readonly resetMs: number;
  /** The time zone in which its periods begin. */
  readonly zone: string;
};

/** In characters. */
const BAR_LENGTH = 12;
/** A longer chart is hard to read; older days count in the sums only. */
const MAX_CHART_DAYS = 14;

/** Shows budgets, a bar per day, and the sums per model. */
export function usageCard({ scope, zone, days, month = [], budgets }: UsageReport, locale: Locale): Card {
  const models = Object.entries(sumByModel(days.map(({ counters }) => counters))).toSorted(
    ([, a], [, b]) => Number(b.atto > a.atto) - Number(b.atto < a.atto),
  );
  const title = localize(locale, `usage.title.${scope}`, { days: days.length });
  const sums = formatMonth(month, locale);
  if (models.length === 0 && budgets.length === 0 && sums === '') {
    return { title, parts: [{ kind: 'text', markdown: localize(locale, 'usage.nothing') }] };
  }
  const limits = budgets.map((one) => formatBudget(one, locale)).join('\n');
  const parts: CardPart[] = [
    ...(sums === '' ? [] : [{ kind: 'text' as const, markdown: sums }]),
    ...(limits === '' ? [] : [{ kind: 'text' as const, markdown: limits }, { kind: 'divider' as const }]),
    { kind: 'text', markdown: ['```', ...drawChart(days.slice(-MAX_CHART_DAYS), locale), '```'].join('\n') },
    { kind: 'text', markdown: models.map(([name, model]) => formatModel(name, model, locale)).join('\n') },
    { kind: 'note', markdown: localize(locale, 'usage.quota.zone', { zone }) },
  ];
  return { title, parts };
}

/** Formats daily accounts as CSV with exact amounts: a line per account, day and model. */
export function usageCsv(accounts: readonly UsageCounters[]): string {
  const head =
    'date,account,model,requests,prompt_tokens,cached_tokens,completion_tokens,dollars,unpriced_requests,estimated_requests';
  const lines = accounts.flatMap(({ account, models }) =>
    Object.entries(models).map(([name, model]) =>
      [
        // `D#2026-11-21#person#U1`: see `getAccountName`.
        account.slice(2, 12),
        account.slice(13),
        name,
        model.requests,
        model.prompt,
        model.cached,
        model.completion,
        formatExactDollars(model.atto),
        model.unknown,
        model.estimated,
      ]
        .map(escapeCsvCell)
        .join(','),
    ),
  );
  return [head, ...lines].join('\n');
}

/** Escapes a cell of a CSV file. Prefixes a value that a spreadsheet would run as a formula. */
export function escapeCsvCell(value: string | number): string {
  const text = String(value);
  const safe = /^[=+\-@\t\r]/u.test(text) ? `'${text}` : text;
  return /[",\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns the dates of the last `count` days in a time zone, oldest first. */
export function getLastDays(count: number, nowMs: number, zone: string): string[] {
  const today = dateInZone(nowMs, zone);
  return Array.from({ length: count }, (_, n) => addDays(today, n + 1 - count));
}

/** Returns the dates of the month until today in a time zone, oldest first. */
export function getMonthDays(nowMs: number, zone: string): string[] {
  const today = dateInZone(nowMs, zone);
  return Array.from({ length: Number(today.slice(8)) }, (_, n) => addDays(`${today.slice(0, 8)}01`, n));
}

function drawChart(days: readonly DailyUsage[], locale: Locale): string[] {
  const booked = days.map(({ counters }) => sumBooked(counters));
  const maxAtto = booked.reduce((max, { atto }) => (atto > max ? atto : max), 0n);
  const maxRequests = Math.max(1, ...booked.map(({ requests }) => requests));
  const day = new Intl.DateTimeFormat(getDateLocale(locale), {
    day: '2-digit',
    month: 'short',
    timeZone: 'UTC',
  });
  const dates = days.map(({ date }) => day.format(Date.parse(date)));
  const width = Math.max(...dates.map(({ length }) => length));
  return booked.map(({ atto, requests, unpriced }, index) => {
    const share = maxAtto > 0n ? Number((atto * 1000n) / maxAtto) / 1000 : requests / maxRequests;
    const count = localize(locale, 'usage.requests', { count: requests });
    return `${(dates[index] ?? '').padEnd(width)} ${drawBar(share)} ${formatBookedCost(atto, unpriced, locale)} ${count}`;
  });
}

/** Draws a bar of text. A share above 0 has at least one full block. */
export function drawBar(share: number): string {
  const full = share <= 0 ? 0 : Math.max(1, Math.round(Math.min(1, share) * BAR_LENGTH));
  return '█'.repeat(full) + '░'.repeat(BAR_LENGTH - full);
}

/** The sums of a month; empty if nothing was used. */
function formatMonth(month: readonly DailyUsage[], locale: Locale): string {
  const accounts = month.map(({ counters }) => counters);
  const models = sumByModel(accounts);
  const used = Object.values(models);
  if (used.length === 0) return '';
  const { atto, unpriced } = sumBooked({ models });
  return localize(locale, 'usage.month', {
    questions: accounts.reduce((total, { questions }) => total + questions, 0),
    tokens: used.reduce((total, { prompt, completion }) => total + prompt + completion, 0),
    cost: formatBookedCost(atto, unpriced, locale),
  });
}

function formatBudget({ budget, counters, resetMs, zone }: BudgetUsage, locale: Locale): string {
  const { scope, period, limit } = budget;
  const share = usedShare(limit, counters);
  const name = localize(locale, `usage.budget.${scope}`, { period: localize(locale, `usage.per.${period}`) });
  const amounts = [
    ...(limit.atto === undefined
      ? []
      : [`${formatAttoDollars(counters.atto, locale)} / ${formatAttoDollars(limit.atto, locale)}`]),
    ...(limit.requests === undefined
      ? []
      : [localize(locale, 'usage.of-requests', { used: counters.requests, most: limit.requests })]),
  ];
  const left = formatRemaining(limit, counters, locale);
  const reset = localize(locale, 'usage.left', { left, when: formatMomentInZone(resetMs, zone, locale) });
  const percent = new Intl.NumberFormat(locale, { style: 'percent' }).format(Math.floor(share * 100) / 100);
  return `${name}\n\`${drawBar(share)}\` ${percent} · ${amounts.join(' · ')}\n${reset}`;
}

/** What remains of a budget, never less than nothing: `$3.20 · 12 requests`. */
function formatRemaining(limit: BudgetLimit, counters: UsageCounters, locale: Locale): string {
  const dollars = limit.atto === undefined ? undefined : limit.atto - counters.atto;
  const requests = limit.requests === undefined ? undefined : limit.requests - counters.requests;
  return [
    ...(dollars === undefined ? [] : [formatAttoDollars(dollars < 0n ? 0n : dollars, locale)]),
    ...(requests === undefined ? [] : [localize(locale, 'usage.requests', { count: Math.max(0, requests) })]),
  ].join(' · ');
}

function formatModel(name: string, model: ModelUsage, locale: Locale): string {
  const { requests, prompt, completion, cached } = model;
  const facts = localize(locale, 'usage.model', { requests, prompt, completion, cached });
  const line = `- \`${name.replaceAll('`', '')}\` ${formatBookedCost(model.atto, model.unknown, locale)} · ${facts}`;
  return model.estimated === 0
    ? line
    : `${line} · ${localize(locale, 'usage.estimated', { count: model.estimated })}`;
}

/** Formats a cost in attodollars. Says so if some requests, `unpriced`, have no known price. */
export function formatBookedCost(atto: bigint, unpriced: number, locale: Locale): string {
  if (unpriced === 0) return formatAttoDollars(atto, locale);
  if (atto === 0n) return localize(locale, 'usage.unknown');
  return localize(locale, 'usage.partly-unknown', {
    amount: formatAttoDollars(atto, locale),
    count: unpriced,
  });
}

/**
 * Adds up what is booked on an account, as the CSV file has it. The counters of its budget differ: they also have reservations,
 * and `quota reset` changes them. `unpriced`: requests of unknown cost, which `atto` lacks.
 */
export const sumBooked = ({ models }: Pick<UsageCounters, 'models'>) =>
  Object.values(models).reduce(
    (sum, { atto, requests, unknown }) => ({
      atto: sum.atto + atto,
      requests: sum.requests + requests,
      unpriced: sum.unpriced + unknown,
    }),
    { atto: 0n, requests: 0, unpriced: 0 },
  );

function sumByModel(accounts: readonly UsageCounters[]): Record<string, ModelUsage> {
  const sums: Record<string, ModelUsage> = {};
  for (const { models } of accounts) {
    for (const [name, one] of Object.entries(models)) {
      const sum = sums[name];
      sums[name] = sum
        ? {
            requests: sum.requests + one.requests,
            prompt: sum.prompt + one.prompt,
            cached: sum.cached + one.cached,
            completion: sum.completion + one.completion,
            atto: sum.atto + one.atto,
            unknown: sum.unknown + one.unknown,
            estimated: sum.estimated + one.estimated,
          }
        : one;
    }
  }
  return sums;
}
