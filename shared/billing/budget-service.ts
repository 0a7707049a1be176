import {
  type BudgetPolicy,
  type Budget,
  budgetsFor,
  endOfPeriod,
  type Scope,
  usedShare,
  type BudgetSubject,
} from './budgets/index.ts';
import type { JobAccounts } from '../video/jobs/index.ts';
import type { Thread } from '../domain/index.ts';
import { maxCostEstimate, picturesIn } from './max-cost-estimate.ts';
import { ledgerEntries, releaseAll, retryOnce, type BudgetWarning, warningOf } from './ledger-entries.ts';
import {
  type BudgetServiceConfig,
  type PlannedRequest,
  type Price,
  Reservation,
  unknownPrice,
} from './reservation.ts';
import type { AccountKey, UsageCounters } from '../storage/index.ts';

export { Reservation, unknownPrice };
export type { BudgetServiceConfig, PlannedRequest, Price };

/** A budget is used up, or the person may not ask. */
export class BudgetExceeded extends Error {
  override readonly name = 'OverBudget';
  readonly budget: Budget | undefined;
  /** When it begins anew (ms since 1970); absent for a person who is blocked. */
  readonly until: number | undefined;
  readonly zone: string;
  constructor(zone: string, budget?: Budget, until?: number) {
    super(budget ? `the budget of the ${budget.scope} is used up` : 'the person is blocked');
    this.zone = zone;
    this.budget = budget;
    this.until = until;
  }
}

/** A worker that has not ended a call after this has died; what it reserved then counts as spent. */
const HOLD_MS = 15 * 60_000;

/** More accounts than these are not listed: a file of some MB. */
const MAX_ACCOUNTS = 20_000;

type AccountHome = { readonly platform: string; readonly workspace: string };
export const policyOf = ({ platform, workspace }: AccountHome): string => `ACCOUNT#${platform}#${workspace}`;

/** Something of one price, before it is begun. */
export type FixedPrice = Pick<PlannedRequest, 'id' | 'thread' | 'person'> & {
  readonly atto: bigint;
  /** After this, what was not ended counts as spent. */
  readonly maxMs: number;
};

/** What came of it. */
type MadeReservation = { readonly model: string; readonly priced: boolean };

/** Budgets and accounts: reserves before a call, books after it. */
export class BudgetService {
  readonly enabled = true;
  readonly #config: BudgetServiceConfig;

  constructor(config: BudgetServiceConfig) {
    this.#config = config;
  }

  /** Reserves what the call costs at most, on every account with a budget. Throws BudgetExceeded, with nothing reserved. */
  async reserve(call: PlannedRequest): Promise<Reservation> {
    const usage = maxCostEstimate(call);
    const models = [call.model, ...(call.standIns ?? [])];
    const images = picturesIn(call.prompt);
    const prices = await Promise.all(models.map((model) => this.#config.price([model], usage, images)));
    const atto = prices.reduce((most, price) => (price.atto > most ? price.atto : most), 0n);
    const { book, zone, lines } = await this.#reserved({ ...call, atto, maxMs: HOLD_MS });
    return new Reservation({ ...this.#config, zone, book, call, usage, atto, lines });
  }

  /**
   * Reserves a price that is known beforehand, for something that takes hours: by `finish`, another process ends it. The
   * same again reserves nothing more. On accounts without a budget too: hours later nothing else could tell whether it was
   * booked there already. Throws BudgetExceeded, with nothing reserved.
   */
  async agree(fixed: FixedPrice): Promise<JobAccounts> {
    const { lines } = await this.#reserved(fixed, true);
    return lines.map(({ key }) => key);
  }

  /** What a request costs that is billed as one, whatever it holds. */
  perRequest(model: string): ReturnType<Price> {
    const none = { promptTokens: 0, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 };
    return this.#config.price([model], none, 0);
  }

  /** Books what was agreed on, or gives it back where nothing came of it. Safe to repeat. */
  async finish(accounts: JobAccounts, { id, atto }: Pick<FixedPrice, 'id' | 'atto'>, made?: MadeReservation) {
    const { ledger } = this.#config;
    const booking = made && { id, atto, prompt: 0, cached: 0, completion: 0, ...made };
    const ended = async (key: AccountKey): Promise<void> =>
      void (await (booking ? ledger.settle(key, atto, booking) : ledger.release(key, id, atto)));
    await Promise.all(accounts.map((key) => retryOnce(() => ended(key))));
  }

  /** Whether most of a budget that binds there is used or reserved by now: told once in its time. */
  async warning(thread: FixedPrice['thread'], person: string): Promise<BudgetWarning | undefined> {
    const { ledger } = this.#config;
    for (const { key, budget } of (await this.#linesOf(thread, person)).lines) {
      const found = budget && (await warningOf(ledger, key, budget, await ledger.read(key)));
      if (found) return found;
    }
    return undefined;
  }

  /** Gives back what `agree` has reserved for the same price, if it came to that. Safe to repeat. */
  async disagree({ id, atto, thread, person }: Omit<FixedPrice, 'maxMs'>): Promise<void> {
    const { lines } = await this.#linesOf(thread, person);
    await this.finish(
      lines.map(({ key }) => key),
      { id, atto },
    );
  }

  /**
   * Why this person is refused whatever they ask: they are blocked, or a budget of their own is used up. Reserves nothing. Of
   * budgets that they share with others nothing is said.
   */
  async refusalOf(thread: FixedPrice['thread'], person: string): Promise<BudgetExceeded | undefined> {
    const { book, zone, now, lines } = await this.#linesOf(thread, person);
    if (book.blocked.includes(person)) return new BudgetExceeded(zone);
    for (const { key, budget } of lines) {
      if (budget?.scope !== 'person') continue;
      const tally = await this.#config.ledger.read(key);
      if (usedShare(budget.most, tally) >= 1)
        return new BudgetExceeded(zone, budget, endOfPeriod(budget.period, now, zone));
    }
    return undefined;
  }

  /** Whether nobody else may pay for what this person asks: they are blocked, or have a budget of their own. */
  async paysAlone(thread: FixedPrice['thread'], person: string): Promise<boolean> {
    const { book, lines } = await this.#linesOf(thread, person);
    return book.blocked.includes(person) || lines.some(({ budget }) => budget?.scope === 'person');
  }

  async #linesOf(thread: FixedPrice['thread'], person: string) {
    const { books, time, deployment } = this.#config;
    const name = policyOf(thread);
    const book = await books.get(name);
    const zone = book.zone ?? this.#config.zone;
    const now = time.now();
    const who = { person, channel: thread.channel };
    const budgets = budgetsFor(book, who, now, zone);
    const above = budgetsFor(deployment, who, now, this.#config.zone);
    return { book, zone, now, lines: ledgerEntries(name, budgets, above, who, now, zone) };
  }

  /** `everywhere`: on accounts without a budget too. */
  async #reserved({ id, thread, person, atto, maxMs }: FixedPrice, everywhere = false) {
    const { ledger } = this.#config;
    const { book, zone, now, lines } = await this.#linesOf(thread, person);
    if (book.blocked.includes(person)) throw new BudgetExceeded(zone);
    for (const one of lines) {
      const { budget } = one;
      if (!budget && !everywhere) continue;
      const reserving = { id, atto, limit: budget?.most ?? {}, untilMs: now + maxMs };
      try {
        one.reserved = (await ledger.reserve(one.key, reserving)).reserved;
      } catch (error) {
        one.reserved = true;
        await releaseAll(ledger, lines, id, atto);
        throw error;
      }
      if (one.reserved || !budget) continue;
      await releaseAll(ledger, lines, id, atto);
      const inZone = budget.scope === 'deployment' ? this.#config.zone : zone;
      throw new BudgetExceeded(inZone, budget, endOfPeriod(budget.period, now, inZone));
    }
    return { book, zone, lines };
  }

  /** The time zone by which a workspace's days begin. */
  async zoneOf(place: AccountHome): Promise<string> {
    return (await this.#config.books.get(policyOf(place))).zone ?? this.#config.zone;
  }

  /** What a workspace has laid down. */
  book(place: BudgetPlace): Promise<BudgetPolicy> {
    return this.#config.books.get(policyOf(place));
  }

  /** Changes that; undefined, and nothing changed, where `change` says so. */
  async change(
    place: BudgetPlace,
    change: (book: BudgetPolicy) => BudgetPolicy | undefined,
  ): Promise<BudgetPolicy | undefined> {
    const { books } = this.#config;
    if (!change(await books.get(policyOf(place)))) return undefined;
    return books.change(policyOf(place), (book) => change(book) ?? book);
  }

  tally(book: string, account: string): Promise<UsageCounters> {
    return this.#config.ledger.read({ book, account });
  }

  /** Every account of a workspace on these days, the first and the last included: of people, channels and itself. */
  accounts(place: BudgetPlace, first: string, last: string): Promise<readonly UsageCounters[]> {
    return this.#config.ledger.list(policyOf(place), `D#${first}`, `D#${last}#~`, MAX_ACCOUNTS);
  }

  /** The budgets of one scope that bind there now, and how far they are used. */
  async budgets(place: BudgetPlace, who: BudgetSubject, scope: Scope) {
    const zone = await this.zoneOf(place);
    const mine = budgetsFor(await this.book(place), who, this.#config.time.now(), zone);
    const wanted = mine.filter((budget) => budget.scope === scope);
    return Promise.all(
      wanted.map(async (budget) => ({ budget, tally: await this.tally(policyOf(place), budget.account) })),
    );
  }

  /** Lets someone's budgets begin anew, those of today and of longer periods; what is under way stays reserved. */
  async reset(place: BudgetPlace, who: BudgetSubject, scope: Scope): Promise<void> {
    for (const { budget } of await this.budgets(place, who, scope)) {
      await this.#config.ledger.reset({ book: policyOf(place), account: budget.account });
    }
  }
}

type BudgetPlace = Pick<Thread, 'platform' | 'workspace' | 'channel'>;
