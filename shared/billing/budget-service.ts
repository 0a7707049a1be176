import {
  type BudgetPolicy,
  findBudgets,
  endOfPeriod,
  type Scope,
  getAccountName,
  RESERVATION_TTL_MS,
  usedShare,
  type BudgetSubject,
} from './budgets/index.ts';
import type { JobAccounts } from '../video/jobs/index.ts';
import { BudgetExceededError, getBudgetShortage } from './budget-exceeded.ts';
import {
  createLedgerEntries,
  releaseAll,
  retryOnce,
  type BudgetWarning,
  claimBudgetWarning,
  type BudgetServiceConfig,
  type PlannedRequest,
  type Price,
  Reservation,
  estimateMaxUsage,
  countImages,
} from './reservation.ts';
import type { AccountKey, UsageCounters } from '../storage/index.ts';

/** Of one day. Limits the memory of a report. */
const MAX_ACCOUNTS = 20_000;

type WorkspaceRef = { readonly platform: string; readonly workspace: string };

/** Returns the partition key of a workspace's accounts and policy. */
export const getAccountPartition = ({ platform, workspace }: WorkspaceRef): string =>
  `ACCOUNT#${platform}#${workspace}`;

/** Work with a known price that takes hours, such as a video. */
export type FixedPriceRequest = Pick<PlannedRequest, 'thread' | 'person'> & {
  /** Unique; makes bookings idempotent. */
  readonly id: string;
  readonly atto: bigint;
  /** If it is not settled or released within this time, it counts as spent. */
  readonly maxMs: number;
};

/** The result that is billed. */
type BilledResult = { readonly model: string; readonly priced: boolean };

/** Reserves the cost of a request before it is sent, and books the actual cost afterwards. */
export class BudgetService {
  readonly enabled = true;
  readonly #config: BudgetServiceConfig;

  constructor(config: BudgetServiceConfig) {
    this.#config = config;
  }

  /**
   * Reserves the maximum cost of a request on every account with a budget. Each call is another request. Throws
   * BudgetExceededError, and then reserves nothing.
   */
  async reserve(planned: PlannedRequest): Promise<Reservation> {
    const request = { ...planned, id: this.createReservationId(planned.id) };
    const usage = estimateMaxUsage(request);
    const models = [request.model, ...(request.standIns ?? [])];
    const images = countImages(request.prompt);
    const { price } = this.#config;
    const prices = await Promise.all(models.map((model) => price([model], usage, images, request.requests)));
    const atto = prices.reduce((max, one) => (one.atto > max ? one.atto : max), 0n);
    const { zone, entries } = await this.#reserveOnAccounts({ ...request, atto, maxMs: RESERVATION_TTL_MS });
    return new Reservation({ ...this.#config, zone, request, usage, atto, entries });
  }

  /**
   * Returns the id of one reservation, which makes its bookings idempotent. A redelivery sends the same request again, and both may be
   * billed: each has a reservation of its own.
   */
  createReservationId(request: string): string {
    return `${request}.${this.#config.createId()}`;
  }

  /**
   * Reserves a fixed price until `settleFixedPrice`, possibly by another process hours later. Idempotent by id. Reserves on
   * accounts without a budget too: hours later, nothing else shows whether the price was booked on them. Throws
   * BudgetExceededError, and then reserves nothing.
   */
  async reserveFixedPrice(request: FixedPriceRequest): Promise<JobAccounts> {
    const { entries } = await this.#reserveOnAccounts(request, true);
    return entries.map(({ key }) => key);
  }

  /** Returns the price of a request that is billed per request, not by tokens. */
  getRequestPrice(model: string): ReturnType<Price> {
    const none = { promptTokens: 0, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 };
    return this.#config.price([model], none, 0);
  }

  /** Books a reserved fixed price, or releases it if there is no result. Idempotent. */
  async settleFixedPrice(
    accounts: JobAccounts,
    { id, atto }: Pick<FixedPriceRequest, 'id' | 'atto'>,
    result?: BilledResult,
  ) {
    const { ledger } = this.#config;
    const booking = result && { id, atto, prompt: 0, cached: 0, completion: 0, ...result };
    const settle = async (key: AccountKey): Promise<void> =>
      void (await (booking ? ledger.settle(key, atto, booking) : ledger.release(key, id, atto)));
    await Promise.all(accounts.map((key) => retryOnce(() => settle(key))));
  }

  /** Returns a warning if most of an applicable budget is used or reserved; only once per budget and period. */
  async claimWarning(
    thread: FixedPriceRequest['thread'],
    person: string,
  ): Promise<BudgetWarning | undefined> {
    const { ledger } = this.#config;
    for (const { key, budget } of (await this.#loadEntries(thread, person)).entries) {
      const warning = budget && (await claimBudgetWarning(ledger, key, budget, await ledger.read(key)));
      if (warning) return warning;
    }
    return undefined;
  }

  /** Releases what `reserveFixedPrice` may have reserved for the same id and price. Idempotent. */
  async releaseFixedPrice({ id, atto, thread, person }: Omit<FixedPriceRequest, 'maxMs'>): Promise<void> {
    const { entries } = await this.#loadEntries(thread, person);
    await this.settleFixedPrice(
      entries.map(({ key }) => key),
      { id, atto },
    );
  }

  /**
   * Returns why every request of this person is refused: they are blocked, or their own budget is used up. Undefined
   * otherwise. Ignores budgets that they share with others, and reserves nothing.
   */
  async findPersonalRefusal(
    thread: FixedPriceRequest['thread'],
    person: string,
  ): Promise<BudgetExceededError | undefined> {
    const { policy, zone, now, entries } = await this.#loadEntries(thread, person);
    const { platform } = thread;
    if (policy.blocked.includes(person)) return new BudgetExceededError({ platform, zone });
    for (const { key, budget } of entries) {
      if (budget?.scope !== 'person') continue;
      const counters = await this.#config.ledger.read(key);
      if (usedShare(budget.limit, counters) >= 1)
        return new BudgetExceededError({ platform, zone }, budget, endOfPeriod(budget.period, now, zone));
    }
    return undefined;
  }

  /** Returns whether no one else may pay for this person's questions: they are blocked, or have a budget of their own. */
  async mustPayAlone(thread: FixedPriceRequest['thread'], person: string): Promise<boolean> {
    const { policy, entries } = await this.#loadEntries(thread, person);
    return policy.blocked.includes(person) || entries.some(({ budget }) => budget?.scope === 'person');
  }

  /** Counts a question that has no answer, on the day's account of its workspace. `id`: of the question. Never rejects. */
  async countFailure({ thread, id }: Pick<FixedPriceRequest, 'thread' | 'id'>): Promise<void> {
    const { ledger, time } = this.#config;
    const subject = { person: '', channel: thread.channel };
    const zone = await this.getZone(thread).catch(() => this.#config.zone);
    const account = getAccountName('workspace', subject, 'day', time.now(), zone);
    // A count for reports: an answer does not wait for it or fail with it.
    await ledger.countFailure({ partition: getAccountPartition(thread), account }, id).catch(() => undefined);
  }

  async #loadEntries(thread: FixedPriceRequest['thread'], person: string) {
    const { policies, time, deploymentPolicy } = this.#config;
    const partition = getAccountPartition(thread);
    const policy = await policies.get(partition);
    const zone = policy.zone ?? this.#config.zone;
    const now = time.now();
    const subject = { person, channel: thread.channel };
    const budgets = findBudgets(policy, subject, now, zone);
    const deploymentBudgets = findBudgets(deploymentPolicy, subject, now, this.#config.zone);
    const entries = createLedgerEntries(partition, budgets, deploymentBudgets, subject, now, zone);
    return { policy, zone, now, entries };
  }

  /** `everywhere`: also on accounts without a budget. */
  async #reserveOnAccounts(
    { id, thread, person, atto, maxMs }: FixedPriceRequest,
    includesUnlimited = false,
  ) {
    const { ledger } = this.#config;
    const { policy, zone, now, entries } = await this.#loadEntries(thread, person);
    const { platform } = thread;
    if (policy.blocked.includes(person)) throw new BudgetExceededError({ platform, zone });
    for (const entry of entries) {
      const { budget } = entry;
      if (!budget && !includesUnlimited) continue;
      const request = { id, atto, limit: budget?.limit ?? {}, untilMs: now + maxMs };
      const result = await ledger.reserve(entry.key, request).catch(async (error: unknown) => {
        // The response may be lost although the reservation was written: release it too.
        entry.reserved = true;
        await releaseAll(ledger, entries, id, atto);
        throw error;
      });
      entry.reserved = result.reserved;
      if (entry.reserved || !budget) continue;
      await releaseAll(ledger, entries, id, atto);
      const budgetZone = budget.scope === 'deployment' ? this.#config.zone : zone;
      throw new BudgetExceededError(
        { platform, zone: budgetZone },
        budget,
        endOfPeriod(budget.period, now, budgetZone),
        getBudgetShortage(budget.limit, result.counters, atto),
      );
    }
    return { zone, entries };
  }

  /** Returns the time zone in which a workspace's days start: that of the deployment if the budgets set none, or cannot be read. */
  async getZone(workspace: WorkspaceRef): Promise<string> {
    const policy = await this.#config.policies.find(getAccountPartition(workspace));
    return policy?.zone ?? this.#config.zone;
  }

  /** Returns whether administrators of a workspace have blocked a person; false if its policy cannot be read. */
  async isBlocked(workspace: WorkspaceRef, person: string): Promise<boolean> {
    const policy = await this.#config.policies.find(getAccountPartition(workspace));
    return policy?.blocked.includes(person) === true;
  }

  /** Returns the policy of a workspace as it is now: a change of a moment ago is in it. */
  getPolicy(workspace: WorkspaceRef): Promise<BudgetPolicy> {
    return this.#config.policies.current(getAccountPartition(workspace));
  }

  /** Changes the current policy of a workspace. If `change` returns undefined, changes nothing and returns undefined. */
  changePolicy(
    workspace: WorkspaceRef,
    change: (policy: BudgetPolicy) => BudgetPolicy | undefined,
  ): Promise<BudgetPolicy | undefined> {
    return this.#config.policies.change(getAccountPartition(workspace), change);
  }

  /** Returns the counters of one account: see `getAccountPartition` and `getAccountName`. */
  readCounters(partition: string, account: string): Promise<UsageCounters> {
    return this.#config.ledger.read({ partition, account });
  }

  /** Lists the accounts of a workspace, its people and channels on one day (`2026-11-21`), of one scope or all; at most 20,000. */
  listAccounts(
    workspace: WorkspaceRef,
    date: string,
    scope?: keyof BudgetSubject | 'workspace',
  ): Promise<readonly UsageCounters[]> {
    const partition = getAccountPartition(workspace);
    const prefix = scope === undefined ? `D#${date}#` : `D#${date}#${scope}#`;
    return this.#config.ledger.list(partition, prefix, `${prefix}~`, MAX_ACCOUNTS);
  }

  /** Lists the current budgets of one scope that apply to this person and channel, with their usage, and when they begin again. */
  async listBudgets(workspace: WorkspaceRef, subject: BudgetSubject, scope: Scope) {
    const policy = await this.getPolicy(workspace);
    const zone = policy.zone ?? this.#config.zone;
    const now = this.#config.time.now();
    const all = findBudgets(policy, subject, now, zone);
    const budgets = all.filter((budget) => budget.scope === scope);
    const partition = getAccountPartition(workspace);
    return Promise.all(
      budgets.map(async (budget) => ({
        budget,
        counters: await this.readCounters(partition, budget.account),
        resetMs: endOfPeriod(budget.period, now, zone),
        zone,
      })),
    );
  }

  /** Resets the current usage of someone's budgets for all periods. Running requests stay reserved. */
  async resetBudgets(workspace: WorkspaceRef, subject: BudgetSubject, scope: Scope): Promise<void> {
    for (const { budget } of await this.listBudgets(workspace, subject, scope)) {
      await this.#config.ledger.reset({ partition: getAccountPartition(workspace), account: budget.account });
    }
  }
}
