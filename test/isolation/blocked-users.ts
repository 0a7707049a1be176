import { type BudgetPolicy, parsePolicy } from '../../shared/billing/budgets/index.ts';

/** How long a process caches a policy, and requests in progress continue with it (ms). */
const CACHE_TTL_MS = 90_000;

type Since = { readonly from: number; readonly book: BudgetPolicy };

/** The people who may ask nothing: blocked people, and people with a budget of no request. */
export class BlockedUsers {
  readonly #books = new Map<string, Since[]>();

  /** Sets the policy of the tenant from now on. */
  setPolicy(tenant: string, text: string, now: number): void {
    const book = parsePolicy(text);
    if (book) this.#books.set(tenant, [...(this.#books.get(tenant) ?? []), { from: now, book }]);
  }

  /** Whether every policy that may apply at this time blocks the person. */
  isBlocked(tenant: string, user: string, now: number): boolean {
    const entries = this.#books.get(tenant) ?? [];
    const isBefore = (entries[0]?.from ?? Infinity) + CACHE_TTL_MS > now;
    const counting = entries.filter(
      (_, index) => (entries[index + 1]?.from ?? Infinity) + CACHE_TTL_MS > now,
    );
    return !isBefore && counting.every(({ book }) => keepsOut(book, user));
  }
}

const keepsOut = ({ blocked, rules, grants }: BudgetPolicy, user: string): boolean =>
  blocked.includes(user) ||
  (grants.length === 0 &&
    rules.some((one) => one.scope === 'person' && one.of === user && one.requests === 0));
