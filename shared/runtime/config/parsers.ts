import * as v from 'valibot';

/** A limit of the upstream: requests a minute, and how many back to back. */
const LIMIT = 'it has to be requests a minute and a burst, such as 60/10';
export const limit = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,5}\/[1-9]\d{0,5}$/, LIMIT),
  v.transform((written) => {
    const [perMinute = 1, burst = 1] = written.split('/').map(Number);
    return { perMinute, burst };
  }),
);

/** Names separated by commas or blanks. */
export const list = v.pipe(
  v.optional(v.string(), ''),
  v.transform((names) => names.split(/[\s,]+/u).filter((name) => name !== '')),
);

const ZONE = 'it has to be the name of a time zone, such as Europe/Berlin';
export const zone = v.pipe(v.string(), v.check(isZone, ZONE));

/** Whether this names a time zone (IANA). */
function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const BUDGET = 'it has to be budgets such as $20/day $300/month 5000/month';
const ONE = /^(\$?)(\d{1,9}(?:\.\d{1,2})?)\/(day|week|month)$/u;
const CENT = 10n ** 16n;
const period = v.picklist(['day', 'week', 'month']);

/** Budgets of the whole deployment; money in atto-dollars. */
export const budgets = v.pipe(
  v.string(),
  v.check((written) => words(written).every((one) => ONE.test(one)), BUDGET),
  v.transform((written) =>
    words(written).map((one) => {
      const [, money, amount = '', of] = ONE.exec(one) ?? [];
      const scope = 'deployment' as const;
      return money
        ? { scope, period: v.parse(period, of), atto: BigInt(Math.round(Number(amount) * 100)) * CENT }
        : { scope, period: v.parse(period, of), requests: Math.floor(Number(amount)) };
    }),
  ),
);

const words = (written: string): string[] => written.split(/[\s,]+/u).filter((word) => word !== '');
