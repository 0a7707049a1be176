import type { BudgetPolicy } from './budgets/index.ts';
import { estimateTokens, type Thread, type Usage } from '../domain/index.ts';
import { countImages, type RequestPlan } from './usage-estimate.ts';
import {
  type BudgetWarning,
  type LedgerEntry,
  releaseAll,
  retryOnce,
  claimBudgetWarning,
} from './ledger-entries.ts';
import type { Time } from '../runtime/index.ts';
import type { BudgetPolicies, Ledger } from '../storage/index.ts';

/**
 * Returns the cost of a request, by the first of these models that has a price. If a price is unknown, `priced` is false
 * and `atto` is too low.
 */
export type Price = (
  models: readonly string[],
  usage: Usage,
  images: number,
) => Promise<{ readonly atto: bigint; readonly priced: boolean }>;

/** For a process that loads no prices. */
export const unknownPrice: Price = () => Promise.resolve({ atto: 0n, priced: false });

export type BudgetServiceConfig = {
  readonly ledger: Ledger;
  readonly policies: BudgetPolicies;
  readonly price: Price;
  readonly time: Time;
  /** The time zone of a workspace that has not set one. */
  readonly zone: string;
  /** The policy of the whole deployment. */
  readonly deploymentPolicy: BudgetPolicy;
};

/** A request to a model, before it is sent. */
export type PlannedRequest = {
  /** Unique; makes bookings idempotent. */
  readonly id: string;
  readonly thread: Pick<Thread, 'platform' | 'workspace' | 'channel'>;
  readonly person: string;
  readonly model: string;
  /** Models that may answer instead: the highest price of all is reserved. */
  readonly standIns?: readonly string[] | undefined;
} & RequestPlan;

type ReservationConfig = BudgetServiceConfig & {
  readonly request: PlannedRequest;
  readonly usage: Usage;
  readonly atto: bigint;
  readonly entries: readonly LedgerEntry[];
};

/** The reservation of one request. It ends once, by `settle` or `release`. */
export class Reservation {
  readonly #config: ReservationConfig;

  constructor(config: ReservationConfig) {
    this.#config = config;
  }

  /** Books the cost of the request: by the usage that the model reported, otherwise by an estimate from the answer's text. */
  async settle(
    model: string,
    reportedUsage: Usage | undefined,
    text: string,
  ): Promise<BudgetWarning | undefined> {
    const { request, usage: maxUsage, price, entries, ledger, atto: reservedAtto, time } = this.#config;
    // Lets the last part of the answer leave first: building the requests below would delay it by milliseconds.
    await time.sleep(0);
    // An answer never exceeds `maxTokens`, even if the estimate does.
    const completionTokens = Math.min(maxUsage.completionTokens, estimateTokens(text));
    const usage = reportedUsage ?? { ...maxUsage, completionTokens };
    const { atto, priced } = await price([model, request.model], usage, countImages(request.prompt));
    const { promptTokens: prompt, cachedTokens: cached, completionTokens: completion } = usage;
    const booking = {
      id: request.id,
      model,
      prompt,
      cached,
      completion,
      atto,
      priced,
      isEstimated: reportedUsage === undefined,
    };
    let warning: BudgetWarning | undefined;
    for (const { key, budget } of entries) {
      if (!budget) await retryOnce(() => ledger.book(key, booking));
      else {
        const counters = await retryOnce(() => ledger.settle(key, reservedAtto, booking));
        warning ??= counters && (await claimBudgetWarning(ledger, key, budget, counters));
      }
    }
    return warning;
  }

  /** Releases the whole amount of a request that failed. */
  async release(): Promise<void> {
    const { entries, request, ledger, atto } = this.#config;
    await releaseAll(ledger, entries, request.id, atto);
  }
}
