import * as v from 'valibot';
import { isTimeZone } from '../../schedules/rules/index.ts';

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

const SEARCH_MESSAGE =
  'must be brave, tavily or searxng, and then, in any order, an https address, a price such as $0.005, and requests a minute and a burst such as 60/10';
const SEARCH_SERVICE_NAMES = ['brave', 'tavily', 'searxng'] as const;
const ATTO_PER_MICRODOLLAR = 10n ** 12n;

/** The web search: the service, and what differs from its defaults. The price is in attodollars (1e-18 $). */
export type SearchConfig = {
  readonly service: (typeof SEARCH_SERVICE_NAMES)[number];
  readonly baseUrl: string | undefined;
  readonly atto: bigint;
  readonly limit: { readonly perMinute: number; readonly burst: number };
};

/** Parses `brave $0.005 60/10`, or `searxng https://search.example.com`; undefined if it is empty. */
export const searchService = v.pipe(
  v.optional(v.string(), ''),
  v.rawTransform(({ dataset, addIssue, NEVER }): SearchConfig | undefined => {
    const [name, ...words] = dataset.value.split(/\s+/u).filter((word) => word !== '');
    if (name === undefined) return undefined;
    const service = SEARCH_SERVICE_NAMES.find((one) => one === name);
    const url = words.find((word) => /^https?:\/\/[^\s@]+$/u.test(word) && URL.canParse(word));
    const price = words.find((word) => /^\$\d{1,4}(?:\.\d{1,6})?$/u.test(word));
    const limit = words.find((word) => v.is(rateLimit, word));
    const known = [url, price, limit].filter((word) => word !== undefined);
    if (!service || known.length !== words.length || (service === 'searxng' && url === undefined)) {
      addIssue({ message: SEARCH_MESSAGE });
      return NEVER;
    }
    return {
      service,
      baseUrl: url,
      atto: BigInt(Math.round(Number(price?.slice(1) ?? 0) * 1e6)) * ATTO_PER_MICRODOLLAR,
      limit: v.parse(rateLimit, limit ?? DEFAULT_SEARCH_LIMIT),
    };
  }),
);
/** Brave's smallest plan allows one request a second. */
const DEFAULT_SEARCH_LIMIT = '60/5';

/** Names separated by commas or spaces. */
export const nameList = v.pipe(
  v.optional(v.string(), ''),
  v.transform((names) => names.split(/[\s,]+/u).filter((name) => name !== '')),
);

const TIME_ZONE_MESSAGE = 'must be the name of a time zone, such as Europe/Berlin';
export const timeZone = v.pipe(v.string(), v.check(isTimeZone, TIME_ZONE_MESSAGE));

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
