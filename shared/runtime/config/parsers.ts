import * as v from 'valibot';

/** A rate limit of the upstream: requests per minute, and the burst. */
const RATE_LIMIT_MESSAGE = 'must be requests a minute and a burst, such as 60/10';
export const rateLimit = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,5}\/[1-9]\d{0,5}$/, RATE_LIMIT_MESSAGE),
  v.transform((text) => {
    const [perMinute = 1, burst = 1] = text.split('/').map(Number);
    return { perMinute, burst };
  }),
);

/** Names separated by commas or spaces. */
export const nameList = v.pipe(
  v.optional(v.string(), ''),
  v.transform((names) => names.split(/[\s,]+/u).filter((name) => name !== '')),
);

const TIME_ZONE_MESSAGE = 'must be the name of a time zone, such as Europe/Berlin';
export const timeZone = v.pipe(v.string(), v.check(isTimeZone, TIME_ZONE_MESSAGE));

/** Whether this is an IANA time zone. */
function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const BUDGET_MESSAGE = 'must be budgets such as $20/day $300/month 5000/month';
const BUDGET_PATTERN = /^(\$?)(\d{1,9}(?:\.\d{1,2})?)\/(day|week|month)$/u;
const CENT = 10n ** 16n;
const period = v.picklist(['day', 'week', 'month']);

/** Budgets of the deployment; money in attodollars (1e-18 $). */
export const budgetList = v.pipe(
  v.string(),
  v.check((text) => splitWords(text).every((one) => BUDGET_PATTERN.test(one)), BUDGET_MESSAGE),
  v.transform((text) =>
    splitWords(text).map((one) => {
      const [, money, amount = '', of] = BUDGET_PATTERN.exec(one) ?? [];
      const scope = 'deployment' as const;
      return money
        ? { scope, period: v.parse(period, of), atto: BigInt(Math.round(Number(amount) * 100)) * CENT }
        : { scope, period: v.parse(period, of), requests: Math.floor(Number(amount)) };
    }),
  ),
);

const splitWords = (text: string): string[] => text.split(/[\s,]+/u).filter((word) => word !== '');
