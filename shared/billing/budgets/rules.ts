import * as v from 'valibot';
import type { AttoDollars } from './money.ts';
import { type Period, periodKey, PERIODS } from './period.ts';

/** Whom a budget is for. */
export const SCOPES = ['person', 'channel', 'workspace', 'deployment'] as const;
export type Scope = (typeof SCOPES)[number];

const amount = v.pipe(
  v.string(),
  v.regex(/^\d{1,27}$/),
  v.transform((digits) => BigInt(digits)),
);
const rule = v.object({
  scope: v.picklist(SCOPES),
  /** One person or channel; every one of them if absent. */
  of: v.optional(v.string()),
  period: v.picklist(PERIODS),
  atto: v.optional(amount),
  requests: v.optional(v.number()),
});
const grant = v.object({
  scope: v.picklist(SCOPES),
  of: v.optional(v.string()),
  /** The day on which it holds, as `periodKey` names it; it counts in each longer period of that day too. */
  day: v.string(),
  atto: v.optional(amount, '0'),
  requests: v.optional(v.number(), 0),
});
const book = v.object({
  zone: v.optional(v.string()),
  rules: v.optional(v.array(rule), []),
  grants: v.optional(v.array(grant), []),
  /** People who may not ask. */
  blocked: v.optional(v.array(v.string()), []),
});

/** What a workspace has laid down: budgets, more for a day, who may not ask. */
export type BudgetPolicy = v.InferOutput<typeof book>;
export type BudgetRule = BudgetPolicy['rules'][number];

export const EMPTY_POLICY: BudgetPolicy = { rules: [], grants: [], blocked: [] };

/** Reads a book; undefined for what is none. */
export function parsePolicy(text: string): BudgetPolicy | undefined {
  try {
    const read = v.safeParse(book, JSON.parse(text));
    return read.success ? read.output : undefined;
  } catch {
    return undefined;
  }
}

/** A book as text. */
export const policyText = (of: BudgetPolicy): string =>
  JSON.stringify(of, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/** Who asks, by the platform's own names. */
export type BudgetSubject = { readonly person: string; readonly channel: string };

/** An account that a call is booked on, and how much it may hold. */
export type Budget = {
  readonly scope: Scope;
  readonly period: Period;
  /** Sort key of the account. */
  readonly account: string;
  readonly most: BudgetLimit;
};
export type BudgetLimit = { readonly atto?: bigint | undefined; readonly requests?: number | undefined };

/** The name of someone's account for the period that it is now: `D#2026-11-21#person#U1`. */
export function accountKeyOf(
  scope: Scope,
  who: BudgetSubject,
  period: Period,
  ms: number,
  zone: string,
): string {
  const of = scope === 'person' || scope === 'channel' ? who[scope] : 'all';
  return `${periodKey(period, ms, zone)}#${scope}#${of}`;
}

/**
 * The budgets that bind this call. Of two rules for one scope and period the one that names the person or channel counts;
 * what was granted for today is added to each.
 */
export function budgetsFor(of: BudgetPolicy, who: BudgetSubject, ms: number, zone: string): Budget[] {
  const named = (one: { readonly scope: Scope; readonly of?: string | undefined }): boolean =>
    one.of !== undefined && (one.scope === 'person' || one.scope === 'channel') && one.of === who[one.scope];
  const mine = of.rules.filter((one) => one.of === undefined || named(one));
  return mine
    .filter((one) => named(one) || !mine.some((other) => named(other) && same(one, other)))
    .map((one) => ({
      scope: one.scope,
      period: one.period,
      account: accountKeyOf(one.scope, who, one.period, ms, zone),
      most: more(
        one,
        of.grants.filter(
          (grant_) =>
            grant_.scope === one.scope &&
            (grant_.of === undefined || named(grant_)) &&
            holds(grant_.day, one.period, ms, zone),
        ),
      ),
    }));
}

const same = (a: BudgetRule, b: BudgetRule): boolean => a.scope === b.scope && a.period === b.period;

/** What was granted for a day was spent beyond the day's budget: it is added to the week's and the month's too. */
const holds = (day: string, period: Period, ms: number, zone: string): boolean =>
  period === 'day'
    ? day === periodKey('day', ms, zone)
    : day.slice(2) >= periodKey(period, ms, zone).slice(2) && day <= periodKey('day', ms, zone);

function more({ atto, requests }: BudgetRule, grants: BudgetPolicy['grants']): BudgetLimit {
  return {
    ...(atto === undefined ? {} : { atto: grants.reduce<AttoDollars>((sum, one) => sum + one.atto, atto) }),
    ...(requests === undefined
      ? {}
      : { requests: grants.reduce((sum, one) => sum + one.requests, requests) }),
  };
}

/** How much of a budget is used, as a part of 1: of the money or of the requests, whichever is more. */
export function usedShare(
  most: BudgetLimit,
  used: { readonly atto: bigint; readonly requests: number },
): number {
  const money =
    most.atto === undefined ? 0 : most.atto === 0n ? 1 : Number((used.atto * 10_000n) / most.atto) / 10_000;
  const count = most.requests === undefined ? 0 : most.requests === 0 ? 1 : used.requests / most.requests;
  return Math.max(money, count);
}

/** People are warned when so much of a budget is used. */
export const WARNING_SHARES = 0.8;
