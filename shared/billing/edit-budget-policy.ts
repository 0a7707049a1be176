import {
  type BudgetPolicy,
  type BudgetGrant,
  type BudgetRule,
  isGrantInPeriod,
  parseDollars,
  type Period,
  periodKey,
  PERIODS,
  type Scope,
} from './budgets/index.ts';
import { type Card, formatMention } from '../domain/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import { toDecimalPoint } from '../settings/rules/index.ts';
import { isTimeZone } from '../schedules/rules/index.ts';
import { formatAttoDollars } from '../utils/index.ts';

/** A change of a policy. `of` is one person or channel; all of them if absent. */
export type BudgetPolicyChange =
  | {
      readonly kind: 'set';
      readonly scope: Scope;
      readonly of?: string | undefined;
      readonly amount: string;
    }
  /** `id`: of the command. A command that is delivered again grants nothing more. */
  | {
      readonly kind: 'grant';
      readonly scope: Scope;
      readonly of?: string | undefined;
      readonly amount: string;
      readonly id: string;
    }
  | { readonly kind: 'drop'; readonly scope: Scope; readonly of?: string | undefined }
  | { readonly kind: 'block' | 'unblock'; readonly who: string }
  | { readonly kind: 'zone'; readonly zone: string };

/** An amount for a period: `$5/day`, `200/week`. Without a period it is for a day. */
export type Amount = { readonly period: Period; readonly atto?: bigint; readonly requests?: number };

/** Dollars as the languages of the bot write them: `$2.50`, `2,50 $`, `US$ 2.50`, `2,50 $US`, `$1,234.50`, `1 234,50 $US`. */
const DOLLARS = /^(?:US)?\$\s*([\d., ]*\d)$|^([\d., ]*\d)\s*(?:US)?\$(?:US)?$/iu;

/** Parses an amount; undefined if the text is invalid. */
export function parseAmount(text: string): Amount | undefined {
  const [, amount = '', unit = 'day'] =
    /^\s*\+?(\S.*?)\s*(?:\/?\s*(day|week|month|today))?\s*$/iu.exec(text.normalize('NFKC')) ?? [];
  const period = PERIODS.find((one) => one === unit.toLowerCase()) ?? 'day';
  if (!amount.includes('$')) {
    const requests = toDecimalPoint(amount, true);
    return /^\d{1,9}$/u.test(requests) ? { period, requests: Number(requests) } : undefined;
  }
  const [, behind, before] = DOLLARS.exec(amount) ?? [];
  const atto = parseDollars(toDecimalPoint(behind ?? before ?? ''));
  return atto === undefined ? undefined : { period, atto };
}

/** Grants older than this count in no current or future period: the longest period is a month. */
const MAX_GRANT_AGE_MS = 31 * 86_400_000;

/** Whether an amount is above zero, so that it can be granted. */
export function isGrantable(text: string): boolean {
  const { atto = 0n, requests = 0 } = parseAmount(text) ?? {};
  return atto > 0n || requests > 0;
}

/** Whether there is a budget to which a grant adds: of its scope, and in dollars or requests as the grant. */
const raisesBudget = ({ rules }: BudgetPolicy, { scope, of, atto, requests }: BudgetGrant): boolean =>
  rules.some(
    (rule) =>
      rule.scope === scope &&
      (of === undefined || appliesTo(rule, { scope, of }, rules)) &&
      ((atto > 0n && rule.atto !== undefined) || (requests > 0 && rule.requests !== undefined)),
  );

/** Whether a rule limits this person or channel. One that names them replaces the general one of the same period. */
const appliesTo = (
  rule: BudgetRule,
  { scope, of }: Pick<BudgetGrant, 'scope' | 'of'>,
  rules: readonly BudgetRule[],
): boolean =>
  rule.of === of ||
  (rule.of === undefined &&
    !rules.some((other) => other.scope === scope && other.of === of && other.period === rule.period));

/**
 * Returns the changed policy; undefined if the change is invalid, or there is nothing to remove or to add to. `zone` is the time zone
 * before the change.
 */
export function applyPolicyChange(
  policy: BudgetPolicy,
  change: BudgetPolicyChange,
  nowMs: number,
  zone: string,
): BudgetPolicy | undefined {
  switch (change.kind) {
    case 'set': {
      const amount = parseAmount(change.amount);
      if (!amount) return undefined;
      const old = policy.rules.find((rule) => isSameRule(rule, change, amount));
      const others = policy.rules.filter((rule) => rule !== old);
      return { ...policy, rules: [...others, { ...old, ...getTarget(change), ...amount }] };
    }
    case 'grant': {
      const { id } = change;
      if (policy.grants.some((grant) => grant.id === id)) return policy;
      const { atto = 0n, requests = 0 } = parseAmount(change.amount) ?? {};
      const day = periodKey('day', nowMs, zone);
      const oldestDay = periodKey('day', nowMs - MAX_GRANT_AGE_MS, zone);
      const grants = policy.grants.filter((grant) => grant.day >= oldestDay);
      const grant = { ...getTarget(change), day, atto, requests, id };
      return raisesBudget(policy, grant) ? { ...policy, grants: [...grants, grant] } : undefined;
    }
    case 'drop': {
      const rules = policy.rules.filter((rule) => rule.scope !== change.scope || rule.of !== change.of);
      return rules.length === policy.rules.length ? undefined : { ...policy, rules };
    }
    case 'block':
      return { ...policy, blocked: [...new Set([...policy.blocked, change.who])] };
    case 'unblock':
      if (!policy.blocked.includes(change.who)) return undefined;
      return { ...policy, blocked: policy.blocked.filter((who) => who !== change.who) };
    case 'zone':
      return isTimeZone(change.zone) ? { ...policy, zone: change.zone } : undefined;
  }
}

const getTarget = ({ scope, of }: { readonly scope: Scope; readonly of?: string | undefined }) => ({
  scope,
  ...(of === undefined ? {} : { of }),
});

/** A target has one rule per period, with money and requests. */
const isSameRule = (
  rule: BudgetRule,
  { scope, of }: { readonly scope: Scope; readonly of?: string | undefined },
  { period }: Amount,
): boolean => rule.scope === scope && rule.of === of && rule.period === period;

type QuotaCardOptions = {
  /** The time zone of the workspace. */
  readonly zone: string;
  readonly nowMs: number;
  readonly locale: Locale;
  /** How to change the policy. */
  readonly examples: string;
};

/** Shows the policy of a workspace: budgets, what was granted beyond them and counts now, blocked people, and how much has no effect. */
export function quotaCard(policy: BudgetPolicy, { zone, nowMs, locale, examples }: QuotaCardOptions): Card {
  const grants = listGrants(policy, nowMs, zone);
  const lines = [
    ...policy.rules.map((rule) => formatRule(rule, locale)),
    ...grants.map((grant) => formatRule(grant, locale, '+ ')),
  ];
  const blocked = policy.blocked.map((who) => formatMention(who)).join(', ');
  const unreadCount = (policy.unread?.rules.length ?? 0) + (policy.unread?.grants.length ?? 0);
  const isEmpty = lines.length === 0 && unreadCount === 0;
  const list = isEmpty ? localize(locale, 'usage.quota.none') : lines.join('\n');
  const people = [...policy.rules, ...grants].flatMap(({ scope, of }) =>
    of === undefined ? [] : [scope === 'channel' ? `#${of}` : of],
  );
  return {
    title: localize(locale, 'usage.quota.title'),
    parts: [
      ...(list === '' ? [] : [{ kind: 'text' as const, markdown: list, people: [...new Set(people)] }]),
      ...(blocked === ''
        ? []
        : [
            {
              kind: 'text' as const,
              markdown: localize(locale, 'usage.quota.blocked', { who: blocked }),
              people: policy.blocked,
            },
          ]),
      ...(unreadCount === 0
        ? []
        : [
            {
              kind: 'note' as const,
              markdown: localize(locale, 'usage.quota.unread', { count: unreadCount }),
            },
          ]),
      { kind: 'note', markdown: localize(locale, 'usage.quota.zone', { zone }) },
      { kind: 'note', markdown: localize(locale, 'usage.quota.how', { examples }) },
    ],
  };
}

function formatRule({ scope, of, period, atto, requests }: BudgetRule, locale: Locale, sign = ''): string {
  const name = localize(locale, `usage.budget.${scope}`, {
    period: localize(locale, `usage.per.${period}`),
  });
  const amounts = [
    ...(atto === undefined ? [] : [formatAttoDollars(atto, locale)]),
    ...(requests === undefined ? [] : [localize(locale, 'usage.requests', { count: requests })]),
  ];
  const target = of === undefined ? '' : ` ${formatMention(scope === 'channel' ? `#${of}` : of)}`;
  return `- ${name}${target}: ${sign}${amounts.join(' · ')}`;
}

/** Sums up what was granted, for each target and each period in which it counts now. */
function listGrants({ rules, grants, ...policy }: BudgetPolicy, nowMs: number, zone: string): BudgetRule[] {
  const sums = new Map<string, BudgetRule>();
  for (const grant of grants) {
    for (const period of PERIODS) {
      const ofPeriod = { ...policy, grants, rules: rules.filter((rule) => rule.period === period) };
      if (!isGrantInPeriod(grant.day, period, nowMs, zone) || !raisesBudget(ofPeriod, grant)) continue;
      const key = [grant.scope, grant.of, period].join('#');
      const atto = (sums.get(key)?.atto ?? 0n) + grant.atto;
      const requests = (sums.get(key)?.requests ?? 0) + grant.requests;
      sums.set(key, {
        ...getTarget(grant),
        period,
        ...(atto > 0n && { atto }),
        ...(requests > 0 && { requests }),
      });
    }
  }
  return [...sums.values()];
}
