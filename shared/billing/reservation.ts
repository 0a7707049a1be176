import type { BudgetPolicy } from './budgets/index.ts';
import { estimateTokens, type Thread, type Usage } from '../domain/index.ts';
import { picturesIn, type RequestPlan } from './max-cost-estimate.ts';
import { type BudgetWarning, type LedgerEntry, releaseAll, retryOnce, warningOf } from './ledger-entries.ts';
import type { Time } from '../runtime/time.ts';
import type { BudgetPolicies, Ledger } from '../storage/index.ts';

/**
 * What a call costs, by the first of these names that has a price: `priced` is false where a price is not known, and
 * `atto` then too little.
 */
export type Price = (
  models: readonly string[],
  usage: Usage,
  images: number,
) => Promise<{ readonly atto: bigint; readonly priced: boolean }>;

/** For a process that reads no prices: no cost is known. */
export const unknownPrice: Price = () => Promise.resolve({ atto: 0n, priced: false });

export type BudgetServiceConfig = {
  readonly ledger: Ledger;
  readonly books: BudgetPolicies;
  readonly price: Price;
  readonly time: Time;
  /** The time zone of a workspace that has laid down none. */
  readonly zone: string;
  /** The book of the whole deployment. */
  readonly deployment: BudgetPolicy;
};

/** One request to a model, before it is sent. */
export type PlannedRequest = {
  /** Tells it from every other request. */
  readonly id: string;
  readonly thread: Pick<Thread, 'platform' | 'workspace' | 'channel'>;
  readonly person: string;
  readonly model: string;
  /** Models that may answer in its place: the dearest of all is reserved. */
  readonly standIns?: readonly string[] | undefined;
} & RequestPlan;

type ReservationConfig = BudgetServiceConfig & {
  readonly book: BudgetPolicy;
  readonly call: PlannedRequest;
  readonly usage: Usage;
  readonly atto: bigint;
  readonly lines: readonly LedgerEntry[];
};

/** What is reserved for one call; ended once, by `settle` or `release`. */
export class Reservation {
  readonly #config: ReservationConfig;

  constructor(config: ReservationConfig) {
    this.#config = config;
  }

  /** Books what the call cost: as the model counted it or, where it did not, as estimated from the words that came. */
  async settle(model: string, counted: Usage | undefined, words: string): Promise<BudgetWarning | undefined> {
    const { call, usage: estimated, price, lines, ledger, atto: reserved, time } = this.#config;
    // What was said last is on its way to people first: making up this request would hold it up by milliseconds.
    await time.sleep(0);
    // No answer has more tokens than were asked for, whatever the estimate says.
    const completionTokens = Math.min(estimated.completionTokens, estimateTokens(words));
    const usage = counted ?? { ...estimated, completionTokens };
    const { atto, priced } = await price([model, call.model], usage, picturesIn(call.prompt));
    const { promptTokens: prompt, cachedTokens: cached, completionTokens: completion } = usage;
    const booking = { id: call.id, model, prompt, cached, completion, atto, priced };
    let warning: BudgetWarning | undefined;
    for (const { key, budget } of lines) {
      if (!budget) await retryOnce(() => ledger.book(key, booking));
      else {
        const tally = await retryOnce(() => ledger.settle(key, reserved, booking));
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
