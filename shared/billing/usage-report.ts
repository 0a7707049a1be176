import {
  addDays,
  dateIn,
  formatExactDollars,
  formatDollars,
  usedShare,
  type Budget,
  type Scope,
} from './budgets/index.ts';
import type { Card, CardPart } from '../domain/index.ts';
import type { ModelUsage, UsageCounters } from '../storage/index.ts';
import { type Locale, localize } from '../i18n/index.ts';

/** What was spent on one day. */
export type Day = { readonly date: string; readonly tally: UsageCounters };

/** What a usage card tells of. */
export type UsageTotals = {
  readonly scope: Exclude<Scope, 'deployment'>;
  /** The oldest first, days without a call among them. */
  readonly days: readonly Day[];
  /** The budgets that bind here, and how far they are used. */
  readonly budgets: readonly { readonly budget: Budget; readonly tally: UsageCounters }[];
};

const BAR = 12;
/** A chart of so many lines is still read; older days are in the sum. */
const MAX_LINES = 14;

/** What was spent: budgets, a bar for each day, and each model. */
export function usageCard({ scope, days, budgets }: UsageTotals, locale: Locale): Card {
  const models = Object.entries(modelsIn(days.map(({ tally }) => tally))).toSorted(
    ([, a], [, b]) => Number(b.atto > a.atto) - Number(b.atto < a.atto),
  );
  const title = localize(locale, `usage.title.${scope}`, { days: days.length });
  if (models.length === 0 && budgets.length === 0) {
    return { title, parts: [{ kind: 'text', markdown: localize(locale, 'usage.nothing') }] };
  }
  const limits = budgets.map(({ budget, tally }) => budgetLine(budget, tally, locale)).join('\n');
  const parts: CardPart[] = [
    ...(limits === '' ? [] : [{ kind: 'text' as const, markdown: limits }, { kind: 'divider' as const }]),
    { kind: 'text', markdown: ['```', ...chart(days.slice(-MAX_LINES), locale), '```'].join('\n') },
    { kind: 'text', markdown: models.map(([name, model]) => modelLine(name, model, locale)).join('\n') },
  ];
  return { title, parts };
}

/** Accounts of days as a table with commas, to the last digit; a line for each account, day and model. */
export function usageCsv(tallies: readonly UsageCounters[]): string {
  const head =
    'date,account,model,requests,prompt_tokens,cached_tokens,completion_tokens,dollars,unpriced_requests';
  const lines = tallies.flatMap(({ account, models }) =>
    Object.entries(models).map(([name, model]) =>
      [
        // `D#2026-11-21#person#U1`: see `accountKeyOf`.
        account.slice(2, 12),
        account.slice(13),
        name,
        model.requests,
        model.prompt,
        model.cached,
        model.completion,
        formatExactDollars(model.atto),
        model.unknown,
      ]
        .map(cell)
        .join(','),
    ),
  );
  return [head, ...lines].join('\n');
}

/** A cell of a CSV file as others read it; one that a spreadsheet would take for a formula is kept from being one. */
export function cell(value: string | number): string {
  const text = String(value);
  const safe = /^[=+\-@\t\r]/u.test(text) ? `'${text}` : text;
  return /[",\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The names of the last days in that zone, the oldest first. */
export function lastDays(count: number, nowMs: number, zone: string): string[] {
  const today = dateIn(nowMs, zone);
  return Array.from({ length: count }, (_, at) => addDays(today, at + 1 - count));
}

function chart(days: readonly Day[], locale: Locale): string[] {
  const most = days.reduce((top, { tally }) => (tally.atto > top ? tally.atto : top), 0n);
  const busiest = Math.max(1, ...days.map(({ tally }) => tally.requests));
  return days.map(({ date, tally }) => {
    const part = most > 0n ? Number((tally.atto * 1000n) / most) / 1000 : tally.requests / busiest;
    const what = localize(locale, 'usage.requests', { count: tally.requests });
    return `${date.slice(5)} ${bar(part)} ${money(tally.atto, unpricedIn(tally), locale)} ${what}`;
  });
}

/** A bar of text. What is not nothing shows. */
export function bar(part: number): string {
  const full = part <= 0 ? 0 : Math.max(1, Math.round(Math.min(1, part) * BAR));
  return '█'.repeat(full) + '░'.repeat(BAR - full);
}

function budgetLine({ scope, period, most }: Budget, tally: UsageCounters, locale: Locale): string {
  const part = usedShare(most, tally);
  const name = localize(locale, `usage.budget.${scope}`, { period: localize(locale, `usage.per.${period}`) });
  const of = [
    ...(most.atto === undefined ? [] : [`${formatDollars(tally.atto)} / ${formatDollars(most.atto)}`]),
    ...(most.requests === undefined
      ? []
      : [localize(locale, 'usage.of-requests', { used: tally.requests, most: most.requests })]),
  ];
  return `${name}\n\`${bar(part)}\` ${Math.floor(part * 100)} % · ${of.join(' · ')}`;
}

function modelLine(name: string, model: ModelUsage, locale: Locale): string {
  const { requests, prompt, completion, cached } = model;
  const facts = localize(locale, 'usage.model', { requests, prompt, completion, cached });
  return `- \`${name.replaceAll('`', '')}\` ${money(model.atto, model.unknown, locale)} · ${facts}`;
}

/** An amount; where some calls have no price it says so, and is never a plain zero. */
function money(atto: bigint, unknown: number, locale: Locale): string {
  if (unknown === 0) return formatDollars(atto);
  if (atto === 0n) return localize(locale, 'usage.unknown');
  return localize(locale, 'usage.partly-unknown', { amount: formatDollars(atto), count: unknown });
}

const unpricedIn = ({ models }: UsageCounters): number =>
  Object.values(models).reduce((sum, { unknown }) => sum + unknown, 0);

function modelsIn(tallies: readonly UsageCounters[]): Record<string, ModelUsage> {
  const sums: Record<string, ModelUsage> = {};
  for (const { models } of tallies) {
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
          }
        : one;
    }
  }
  return sums;
}
