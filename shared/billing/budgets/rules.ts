import * as v from 'valibot';
import type { AttoDollars } from './money.ts';

/** The periods of a budget, by the calendar of a time zone. */
export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

const LETTERS: Readonly<Record<Period, string>> = { day: 'D', week: 'W', month: 'M' };
const DAY_MS = 86_400_000;

/** By time zone. Creating a format takes longer than all other calendar operations of a question. */
const dateFormats = new Map<string, Intl.DateTimeFormat>();

function getDateFormat(timeZone: string): Intl.DateTimeFormat {
  const cached = dateFormats.get(timeZone);
  if (cached) return cached;
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, ...day });
  dateFormats.set(timeZone, format);
  return format;
}

/** Returns the date in a time zone, which must be valid: `2026-11-21`. */
export const dateInZone = (ms: number, zone: string): string => getDateFormat(zone).format(ms);

/** Returns the key of a period, by its first day: `D#2026-11-21`, `W#2026-11-16` (a Monday), `M#2026-11-01`. Sorts by time. */
export function periodKey(period: Period, ms: number, zone: string): string {
  return `${LETTERS[period]}#${getFirstDay(period, dateInZone(ms, zone))}`;
}

/** Returns the date this number of days later. */
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

function getFirstDay(period: Period, date: string): string {
  if (period === 'month') return `${date.slice(0, 8)}01`;
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return period === 'week' ? addDays(date, -((weekday + 6) % 7)) : date;
}

/** Returns when the current period ends (ms since 1970): the start of the next one. Handles clock changes by bisection. */
export function endOfPeriod(period: Period, ms: number, zone: string): number {
  const key = periodKey(period, ms, zone);
  let low = ms;
  let high = ms + 33 * DAY_MS;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (periodKey(period, middle, zone) === key) low = middle;
    else high = middle;
  }
  return high;
}

/** To whom a budget applies. */
export const SCOPES = ['person', 'channel', 'workspace', 'deployment'] as const;
export type Scope = (typeof SCOPES)[number];

const amountSchema = v.pipe(
  v.string(),
  v.regex(/^\d{1,27}$/),
  v.transform((digits) => BigInt(digits)),
);
const ruleSchema = v.object({
  scope: v.picklist(SCOPES),
  /** One person or channel; all of them, each on their own, if absent. */
  of: v.optional(v.string()),
  period: v.picklist(PERIODS),
  atto: v.optional(amountSchema),
  requests: v.optional(v.number()),
});
const grantSchema = v.object({
  scope: v.picklist(SCOPES),
  of: v.optional(v.string()),
  /** The day to which it adds, as a `periodKey`. It also counts in the week and month of that day. */
  day: v.string(),
  atto: v.optional(amountSchema, '0'),
  requests: v.optional(v.number(), 0),
  /** Of the command that granted it. */
  id: v.optional(v.string()),
});
export type BudgetRule = v.InferOutput<typeof ruleSchema>;
export type BudgetGrant = v.InferOutput<typeof grantSchema>;
const policySchema = v.object({
  zone: v.optional(v.string()),
  rules: v.optional(v.array(v.unknown()), []),
  grants: v.optional(v.array(v.unknown()), []),
  /** People who may not use the bot. */
  blocked: v.optional(v.array(v.string()), []),
});

/** The rules of a workspace: its budgets, extra amounts for single days, and blocked people. */
export type BudgetPolicy = Pick<v.InferOutput<typeof policySchema>, 'zone' | 'blocked'> & {
  rules: BudgetRule[];
  grants: BudgetGrant[];
  /** What another version wrote and this one cannot read. It has no effect, and stays stored when the policy changes. */
  unread?: { readonly rules: readonly unknown[]; readonly grants: readonly unknown[] };
};

export const EMPTY_POLICY: BudgetPolicy = { rules: [], grants: [], blocked: [] };

/** Parses a serialized policy, each rule and grant by itself; undefined if the whole is invalid. */
export function parsePolicy(text: string): BudgetPolicy | undefined {
  const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), policySchema), text);
  if (!success) return undefined;
  const rules = parseEach(ruleSchema, output.rules);
  const grants = parseEach(grantSchema, output.grants);
  const unread = { rules: rules.unread, grants: grants.unread };
  return {
    ...output,
    rules: rules.read,
    grants: grants.read,
    ...(unread.rules.length + unread.grants.length > 0 && { unread }),
  };
}

function parseEach<Schema extends v.GenericSchema>(schema: Schema, values: readonly unknown[]) {
  const results = values.map((value) => ({ value, ...v.safeParse(schema, value) }));
  return {
    read: results.flatMap(({ success, output }) => (success ? [output] : [])),
    unread: results.flatMap(({ success, value }) => (success ? [] : [value])),
  };
}

/** Serializes a policy, with what could not be read as it was stored. */
export function serializePolicy({ unread, ...policy }: BudgetPolicy): string {
  const stored = {
    ...policy,
    rules: [...policy.rules, ...(unread?.rules ?? [])],
    grants: [...policy.grants, ...(unread?.grants ?? [])],
  };
  return JSON.stringify(stored, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** The person and channel of a request, as platform ids. */
export type BudgetSubject = { readonly person: string; readonly channel: string };

/** An account with a limit. */
export type Budget = {
  readonly scope: Scope;
  readonly period: Period;
  /** Sort key of the account. */
  readonly account: string;
  readonly limit: BudgetLimit;
};
export type BudgetLimit = { readonly atto?: bigint | undefined; readonly requests?: number | undefined };

/** Returns the name of an account for the current period: `D#2026-11-21#person#U1`. */
export function getAccountName(
  scope: Scope,
  subject: BudgetSubject,
  period: Period,
  ms: number,
  zone: string,
): string {
  const id = scope === 'person' || scope === 'channel' ? subject[scope] : 'all';
  return `${periodKey(period, ms, zone)}#${scope}#${id}`;
}

/**
 * Returns the budgets that apply to a request. A rule that names the person or channel overrides the general rule of the
 * same scope and period. Grants are added to each.
 */
export function findBudgets(
  policy: BudgetPolicy,
  subject: BudgetSubject,
  ms: number,
  zone: string,
): Budget[] {
  const isNamed = ({ scope, of }: Pick<BudgetRule, 'scope' | 'of'>): boolean =>
    of !== undefined && (scope === 'person' || scope === 'channel') && of === subject[scope];
  const rules = policy.rules.filter((rule) => rule.of === undefined || isNamed(rule));
  return rules
    .filter((rule) => isNamed(rule) || !rules.some((other) => isNamed(other) && isSameKind(rule, other)))
    .map((rule) => {
      const { scope, period } = rule;
      const grants = policy.grants.filter(
        (grant) =>
          grant.scope === scope &&
          (grant.of === undefined || isNamed(grant)) &&
          isGrantInPeriod(grant.day, period, ms, zone),
      );
      const account = getAccountName(scope, subject, period, ms, zone);
      return { scope, period, account, limit: addGrants(rule, grants) };
    });
}

const isSameKind = (a: BudgetRule, b: BudgetRule): boolean => a.scope === b.scope && a.period === b.period;

/** A grant for a day also raises the budgets of its week and month: otherwise those could refuse what it allows. */
export const isGrantInPeriod = (day: string, period: Period, ms: number, zone: string): boolean =>
  period === 'day'
    ? day === periodKey('day', ms, zone)
    : day.slice(2) >= periodKey(period, ms, zone).slice(2) && day <= periodKey('day', ms, zone);

const addGrants = ({ atto, requests }: BudgetRule, grants: readonly BudgetGrant[]): BudgetLimit => ({
  ...(atto === undefined ? {} : { atto: grants.reduce<AttoDollars>((sum, grant) => sum + grant.atto, atto) }),
  ...(requests === undefined
    ? {}
    : { requests: grants.reduce((sum, grant) => sum + grant.requests, requests) }),
});

/** Returns the used share of a budget (0 to 1, or more): of the money or the requests, whichever is higher. */
export function usedShare(
  limit: BudgetLimit,
  used: { readonly atto: bigint; readonly requests: number },
): number {
  const money =
    limit.atto === undefined
      ? 0
      : limit.atto === 0n
        ? 1
        : Number((used.atto * 10_000n) / limit.atto) / 10_000;
  const requests =
    limit.requests === undefined ? 0 : limit.requests === 0 ? 1 : used.requests / limit.requests;
  return Math.max(money, requests);
}

/** People are warned when this share of a budget is used. */
export const WARNING_SHARE = 0.8;

/** A worker that has not ended a request after this time has crashed: the reservation counts as spent. */
export const RESERVATION_TTL_MS = 15 * 60_000;
