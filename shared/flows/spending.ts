import {
  type Book,
  type Budget,
  budgetsOf,
  endOf,
  type Scope,
  usedPart,
  type Who,
} from '../budgets/index.ts';
import { estimateTokens, type Thread, type Usage } from '../conversation/index.ts';
import type { Accounts } from '../jobs/index.ts';
import { estimateOf, picturesIn, type Planning } from './estimate.ts';
import { type Line, linesOf, releaseAll, twice, type Warning, warningOf } from './account-lines.ts';
import type { Time } from '../runtime/time.ts';
import type { AccountKey, Books, Ledger, Tally } from '../store/index.ts';

/**
 * What a call costs, by the first of these names that has a price: `priced` is false where a price is not known, and
 * `atto` then too little.
 */
export type Price = (
  models: readonly string[],
  usage: Usage,
  images: number,
) => Promise<{ readonly atto: bigint; readonly priced: boolean }>;

export type SpendingConfig = {
  readonly ledger: Ledger;
  readonly books: Books;
  readonly price: Price;
  readonly time: Time;
  /** The time zone of a workspace that has laid down none. */
  readonly zone: string;
  /** The book of the whole deployment. */
  readonly deployment: Book;
};

/** One request to a model, before it is sent. */
export type Planned = {
  /** Tells it from every other request. */
  readonly id: string;
  readonly thread: Pick<Thread, 'platform' | 'workspace' | 'channel'>;
  readonly person: string;
  readonly model: string;
  /** Models that may answer in its place: the dearest of all is reserved. */
  readonly standIns?: readonly string[] | undefined;
} & Planning;

/** A budget is used up, or the person may not ask. */
export class OverBudget extends Error {
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
const MOST_ACCOUNTS = 20_000;

type Home = { readonly platform: string; readonly workspace: string };
export const bookOf = ({ platform, workspace }: Home): string => `ACCOUNT#${platform}#${workspace}`;

/** Something of one price, before it is begun. */
export type FixedPrice = Pick<Planned, 'id' | 'thread' | 'person'> & {
  readonly atto: bigint;
  /** After this, what was not ended counts as spent. */
  readonly forMs: number;
};

/** What came of it. */
type Made = { readonly model: string; readonly priced: boolean };

/** Budgets and accounts: reserves before a call, books after it. */
export class Spending {
  readonly #config: SpendingConfig;

  constructor(config: SpendingConfig) {
    this.#config = config;
  }

  /** Reserves what the call costs at most, on every account with a budget. Throws OverBudget, with nothing reserved. */
  async reserve(call: Planned): Promise<Hold> {
    const usage = estimateOf(call);
    const models = [call.model, ...(call.standIns ?? [])];
    const images = picturesIn(call.prompt);
    const prices = await Promise.all(models.map((model) => this.#config.price([model], usage, images)));
    const atto = prices.reduce((most, price) => (price.atto > most ? price.atto : most), 0n);
    const { book, zone, lines } = await this.#reserved({ ...call, atto, forMs: HOLD_MS });
    return new Hold({ ...this.#config, zone, book, call, usage, atto, lines });
  }

  /**
   * Reserves a price that is known beforehand, for something that takes hours: by `finish`, another process ends it. The
   * same again reserves nothing more. On accounts without a budget too: hours later nothing else could tell whether it was
   * booked there already. Throws OverBudget, with nothing reserved.
   */
  async agree(fixed: FixedPrice): Promise<Accounts> {
    const { lines } = await this.#reserved(fixed, true);
    return lines.map(({ key }) => key);
  }

  /** What a request costs that is billed as one, whatever it holds. */
  perRequest(model: string): ReturnType<Price> {
    const none = { promptTokens: 0, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 };
    return this.#config.price([model], none, 0);
  }

  /** Books what was agreed on, or gives it back where nothing came of it. Safe to repeat. */
  async finish(accounts: Accounts, { id, atto }: Pick<FixedPrice, 'id' | 'atto'>, made?: Made) {
    const { ledger } = this.#config;
    const booking = made && { id, atto, prompt: 0, cached: 0, completion: 0, ...made };
    const ended = async (key: AccountKey): Promise<void> =>
      void (await (booking ? ledger.settle(key, atto, booking) : ledger.release(key, id, atto)));
    await Promise.all(accounts.map((key) => twice(() => ended(key))));
  }

  /** Whether most of a budget that binds there is used or reserved by now: told once in its time. */
  async warning(thread: FixedPrice['thread'], person: string): Promise<Warning | undefined> {
    const { ledger } = this.#config;
    for (const { key, budget } of (await this.#linesOf(thread, person)).lines) {
      const found = budget && (await warningOf(ledger, key, budget, await ledger.tally(key)));
      if (found) return found;
    }
    return undefined;
  }

  /** Gives back what `agree` has reserved for the same price, if it came to that. Safe to repeat. */
  async disagree({ id, atto, thread, person }: Omit<FixedPrice, 'forMs'>): Promise<void> {
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
  async refusalOf(thread: FixedPrice['thread'], person: string): Promise<OverBudget | undefined> {
    const { book, zone, now, lines } = await this.#linesOf(thread, person);
    if (book.blocked.includes(person)) return new OverBudget(zone);
    for (const { key, budget } of lines) {
      if (budget?.scope !== 'person') continue;
      const tally = await this.#config.ledger.tally(key);
      if (usedPart(budget.most, tally) >= 1)
        return new OverBudget(zone, budget, endOf(budget.period, now, zone));
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
    const name = bookOf(thread);
    const book = await books.get(name);
    const zone = book.zone ?? this.#config.zone;
    const now = time.now();
    const who = { person, channel: thread.channel };
    const budgets = budgetsOf(book, who, now, zone);
    const above = budgetsOf(deployment, who, now, this.#config.zone);
    return { book, zone, now, lines: linesOf(name, budgets, above, who, now, zone) };
  }

  /** `everywhere`: on accounts without a budget too. */
  async #reserved({ id, thread, person, atto, forMs }: FixedPrice, everywhere = false) {
    const { ledger } = this.#config;
    const { book, zone, now, lines } = await this.#linesOf(thread, person);
    if (book.blocked.includes(person)) throw new OverBudget(zone);
    for (const one of lines) {
      const { budget } = one;
      if (!budget && !everywhere) continue;
      const reserving = { id, atto, most: budget?.most ?? {}, untilMs: now + forMs };
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
      throw new OverBudget(inZone, budget, endOf(budget.period, now, inZone));
    }
    return { book, zone, lines };
  }

  /** The time zone by which a workspace's days begin. */
  async zoneOf(place: Home): Promise<string> {
    return (await this.#config.books.get(bookOf(place))).zone ?? this.#config.zone;
  }

  /** What a workspace has laid down. */
  book(place: Place): Promise<Book> {
    return this.#config.books.get(bookOf(place));
  }

  /** Changes that; undefined, and nothing changed, where `change` says so. */
  async change(place: Place, change: (book: Book) => Book | undefined): Promise<Book | undefined> {
    const { books } = this.#config;
    if (!change(await books.get(bookOf(place)))) return undefined;
    return books.change(bookOf(place), (book) => change(book) ?? book);
  }

  tally(book: string, account: string): Promise<Tally> {
    return this.#config.ledger.tally({ book, account });
  }

  /** Every account of a workspace on these days, the first and the last included: of people, channels and itself. */
  accounts(place: Place, first: string, last: string): Promise<readonly Tally[]> {
    return this.#config.ledger.list(bookOf(place), `D#${first}`, `D#${last}#~`, MOST_ACCOUNTS);
  }

  /** The budgets of one scope that bind there now, and how far they are used. */
  async budgets(place: Place, who: Who, scope: Scope) {
    const zone = await this.zoneOf(place);
    const mine = budgetsOf(await this.book(place), who, this.#config.time.now(), zone);
    const wanted = mine.filter((budget) => budget.scope === scope);
    return Promise.all(
      wanted.map(async (budget) => ({ budget, tally: await this.tally(bookOf(place), budget.account) })),
    );
  }

  /** Lets someone's budgets begin anew, those of today and of longer periods; what is under way stays reserved. */
  async reset(place: Place, who: Who, scope: Scope): Promise<void> {
    for (const { budget } of await this.budgets(place, who, scope)) {
      await this.#config.ledger.reset({ book: bookOf(place), account: budget.account });
    }
  }
}

type Place = Pick<Thread, 'platform' | 'workspace' | 'channel'>;

type HoldConfig = SpendingConfig & {
  readonly book: Book;
  readonly call: Planned;
  readonly usage: Usage;
  readonly atto: bigint;
  readonly lines: readonly Line[];
};

/** What is reserved for one call; ended once, by `settle` or `release`. */
export class Hold {
  readonly #config: HoldConfig;

  constructor(config: HoldConfig) {
    this.#config = config;
  }

  /** Books what the call cost: as the model counted it or, where it did not, as estimated from the words that came. */
  async settle(model: string, counted: Usage | undefined, words: string): Promise<Warning | undefined> {
    const { call, usage: estimated, price, lines, ledger, atto: reserved, time } = this.#config;
    // What was said last is on its way to people first: making up this request would hold it up by milliseconds.
    await time.sleep(0);
    // No answer has more tokens than were asked for, whatever the estimate says.
    const completionTokens = Math.min(estimated.completionTokens, estimateTokens(words));
    const usage = counted ?? { ...estimated, completionTokens };
    const { atto, priced } = await price([model, call.model], usage, picturesIn(call.prompt));
    const { promptTokens: prompt, cachedTokens: cached, completionTokens: completion } = usage;
    const booking = { id: call.id, model, prompt, cached, completion, atto, priced };
    let warning: Warning | undefined;
    for (const { key, budget } of lines) {
      if (!budget) await twice(() => ledger.book(key, booking));
      else {
        const tally = await twice(() => ledger.settle(key, reserved, booking));
        warning ??= tally && (await warningOf(ledger, key, budget, tally));
      }
    }
    return warning;
  }

  /** Gives everything back: the call came to nothing. */
  async release(): Promise<void> {
    const { lines, call, ledger, atto } = this.#config;
    await releaseAll(ledger, lines, call.id, atto);
  }
}
