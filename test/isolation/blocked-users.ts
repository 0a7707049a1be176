import { type BudgetPolicy, parsePolicy } from '../../shared/billing/budgets/index.ts';

/** How long processes go by a book that they have read, and what is under way goes on by it (ms). */
const CACHE_TTL_MS = 90_000;

type Since = { readonly from: number; readonly book: BudgetPolicy };

/** Who may ask nothing: who is blocked, and whose budget is of no request at all. */
export class BlockedUsers {
  readonly #books = new Map<string, Since[]>();

  /** From now on this book holds in the tenant. */
  setPolicy(tenant: string, text: string, now: number): void {
    const book = parsePolicy(text);
    if (book) this.#books.set(tenant, [...(this.#books.get(tenant) ?? []), { from: now, book }]);
  }

  /** Whether every book that may count at this moment keeps them out. */
  isBlocked(tenant: string, user: string, now: number): boolean {
    const held = this.#books.get(tenant) ?? [];
    const isBefore = (held[0]?.from ?? Infinity) + CACHE_TTL_MS > now;
    const counting = held.filter((_, index) => (held[index + 1]?.from ?? Infinity) + CACHE_TTL_MS > now);
    return !isBefore && counting.every(({ book }) => keepsOut(book, user));
  }
}

const keepsOut = ({ blocked, rules, grants }: BudgetPolicy, user: string): boolean =>
  blocked.includes(user) ||
  (grants.length === 0 &&
    rules.some((one) => one.scope === 'person' && one.of === user && one.requests === 0));
