import {
  type BudgetPolicy,
  type BudgetRule,
  parseDollars,
  type Period,
  periodKey,
  PERIODS,
  type Scope,
  formatDollars,
} from './budgets/index.ts';
import { type Card, formatMention } from '../domain/index.ts';
import { type Locale, localize } from '../i18n/index.ts';

/** What someone wants changed. `of` is one person or channel; all of them if absent. */
export type BudgetPolicyChange =
  | {
      readonly kind: 'set' | 'grant';
      readonly scope: Scope;
      readonly of?: string | undefined;
      readonly amount: string;
    }
  | { readonly kind: 'drop'; readonly scope: Scope; readonly of?: string | undefined }
  | { readonly kind: 'block' | 'unblock'; readonly who: string }
  | { readonly kind: 'zone'; readonly zone: string };

/** An amount for a period: `$5/day`, `200/week`. Without a period it is for a day. */
export type Amount = { readonly period: Period; readonly atto?: bigint; readonly requests?: number };

/** Reads an amount; undefined for what is none. */
export function parseAmount(text: string): Amount | undefined {
  const [, what = '', of = 'day'] =
    /^\s*\+?(\$?[\d.]+)\s*(?:\/?\s*(day|week|month|today))?\s*$/iu.exec(text) ?? [];
  const named = of.toLowerCase();
  const period = PERIODS.find((one) => one === named) ?? 'day';
  if (!what.startsWith('$')) return /^\d{1,9}$/u.test(what) ? { period, requests: Number(what) } : undefined;
  const atto = parseDollars(what);
  return atto === undefined ? undefined : { period, atto };
}

/** The book after the wish; undefined where it cannot be read, or there is nothing to take away. `zone` is that of the book as it was. */
export function applyGrant(
  book: BudgetPolicy,
  wish: BudgetPolicyChange,
  nowMs: number,
  zone: string,
): BudgetPolicy | undefined {
  switch (wish.kind) {
    case 'set': {
      const amount = parseAmount(wish.amount);
      if (!amount) return undefined;
      const old = book.rules.find((one) => isSame(one, wish, amount));
      return {
        ...book,
        rules: [...book.rules.filter((one) => one !== old), { ...old, ...whom(wish), ...amount }],
      };
    }
    case 'grant': {
      const { atto = 0n, requests = 0 } = parseAmount(wish.amount) ?? {};
      const day = periodKey('day', nowMs, zone);
      // Older grants count in no period that is to come, but for the month's: those of the last 31 days stay.
      const month = periodKey('day', nowMs - 31 * 86_400_000, zone);
      const kept = book.grants.filter((one) => one.day >= month);
      return atto === 0n && requests === 0
        ? undefined
        : { ...book, grants: [...kept, { ...whom(wish), day, atto, requests }] };
    }
    case 'drop': {
      const rules = book.rules.filter((one) => one.scope !== wish.scope || one.of !== wish.of);
      return rules.length === book.rules.length ? undefined : { ...book, rules };
    }
    case 'block':
      return { ...book, blocked: [...new Set([...book.blocked, wish.who])] };
    case 'unblock':
      if (!book.blocked.includes(wish.who)) return undefined;
      return { ...book, blocked: book.blocked.filter((who) => who !== wish.who) };
    case 'zone':
      return isZone(wish.zone) ? { ...book, zone: wish.zone } : undefined;
  }
}

const whom = ({ scope, of }: { readonly scope: Scope; readonly of?: string | undefined }) => ({
  scope,
  ...(of === undefined ? {} : { of }),
});

/** For one whom and one period there is one rule, with money and requests. */
const isSame = (
  one: BudgetRule,
  { scope, of }: { readonly scope: Scope; readonly of?: string | undefined },
  { period }: Amount,
): boolean => one.scope === scope && one.of === of && one.period === period;

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** What is laid down. */
export function quotaCard(book: BudgetPolicy, zone: string, locale: Locale, examples: string): Card {
  const lines = book.rules.map(({ scope, of, period, atto, requests }) => {
    const name = localize(locale, `usage.budget.${scope}`, {
      period: localize(locale, `usage.per.${period}`),
    });
    const amounts = [
      ...(atto === undefined ? [] : [formatDollars(atto)]),
      ...(requests === undefined ? [] : [localize(locale, 'usage.requests', { count: requests })]),
    ];
    const named = of === undefined ? '' : ` ${formatMention(scope === 'channel' ? `#${of}` : of)}`;
    return `- ${name}${named}: ${amounts.join(' · ')}`;
  });
  const blocked = book.blocked.map((who) => formatMention(who)).join(', ');
  const people = book.rules.flatMap(({ scope, of }) =>
    of === undefined ? [] : [scope === 'channel' ? `#${of}` : of],
  );
  return {
    title: localize(locale, 'usage.quota.title'),
    parts: [
      {
        kind: 'text',
        markdown: lines.length > 0 ? lines.join('\n') : localize(locale, 'usage.quota.none'),
        people: [...new Set(people)],
      },
      ...(blocked === ''
        ? []
        : [
            {
              kind: 'text' as const,
              markdown: localize(locale, 'usage.quota.blocked', { who: blocked }),
              people: book.blocked,
            },
          ]),
      { kind: 'note', markdown: localize(locale, 'usage.quota.zone', { zone }) },
      { kind: 'note', markdown: localize(locale, 'usage.quota.how', { examples }) },
    ],
  };
}
