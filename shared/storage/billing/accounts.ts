import {
  getAccountName,
  addDays,
  dateInZone,
  PERIODS,
  type BudgetPolicy,
  serializePolicy,
  EMPTY_POLICY,
  parsePolicy,
} from '../../billing/budgets/index.ts';
import type { PlatformName, UserId, WorkspaceId } from '../../domain/index.ts';
import { isTimeZone } from '../../schedules/rules/index.ts';
import { type Dynamo, retryConflict } from '../dynamodb/dynamo.ts';
import type { Log } from '../../runtime/index.ts';
import { TtlCache } from '../../utils/index.ts';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** How long accounts are kept after their last booking. */
export const ACCOUNT_DAYS = 400;
/** The longest period of an account: its last booking may be at its end. */
const MAX_PERIOD_DAYS = 31;

/** Returns the partition of the accounts of a workspace. */
export const policyKey = ({
  platform,
  workspace,
}: {
  readonly platform: PlatformName;
  readonly workspace: WorkspaceId;
}): string => `ACCOUNT#${platform}#${workspace}`;

/**
 * Returns the names of all accounts that a person may have, in any time zone: some 500. `now` in ms since 1970.
 */
export function listAccountNames(user: UserId, now: number): string[] {
  const today = dateInZone(now, 'UTC');
  const days = Array.from({ length: ACCOUNT_DAYS + MAX_PERIOD_DAYS + 2 }, (_, i) => addDays(today, 1 - i));
  const names = days.flatMap((day) =>
    PERIODS.map((period) =>
      getAccountName('person', { person: user, channel: '' }, period, Date.parse(day), 'UTC'),
    ),
  );
  return [...new Set(names)];
}

const POLICY_SORT_KEY = 'RULES';
/** How long a policy is cached; a changed policy applies after this time at the latest. */
const CACHE_TTL_MS = 30_000;

export type BudgetPoliciesConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly now: () => number;
  /** Logs that a policy cannot be read, where that stops nothing. */
  readonly log?: Log;
};

/** The budgets of a workspace are stored in a form that this version cannot read. */
class UnreadablePolicyError extends Error {
  override readonly name = 'UnreadablePolicyError';
}

type StoredPolicy = { readonly policy: BudgetPolicy; readonly rev: number };

/** The budget policies of workspaces: one item each, read at most twice a minute. */
export class BudgetPolicies {
  readonly #config: BudgetPoliciesConfig;
  readonly #cache: TtlCache<StoredPolicy>;

  constructor(config: BudgetPoliciesConfig) {
    this.#config = config;
    this.#cache = new TtlCache({ now: config.now, ttlMs: CACHE_TTL_MS });
  }

  /** Returns a policy, at most half a minute old; an empty one if there is none. Rejects if it cannot be read, apart from single rules: see `parsePolicy`. */
  async get(name: string): Promise<BudgetPolicy> {
    const { policy } = await this.#cache.get(name, (key) => this.#read(key));
    const { zone, ...rest } = policy;
    // Another system may know time zones that this one does not. Its questions are answered all the same: the days begin as where none is set.
    return zone === undefined || isTimeZone(zone) ? policy : rest;
  }

  /**
   * Returns a policy as `get` does; undefined if it cannot be read, for what is not stopped by that: every task needs the time zone, erasures
   * too. Rejects if the table fails.
   */
  async find(name: string): Promise<BudgetPolicy | undefined> {
    try {
      return await this.get(name);
    } catch (error) {
      if (!(error instanceof UnreadablePolicyError)) throw error;
      this.#config.log?.('budgets.unreadable', { name });
      return undefined;
    }
  }

  /** Returns the policy as it is now, for people who look at it or changed it in another process. */
  async current(name: string): Promise<BudgetPolicy> {
    this.#cache.delete(name);
    return this.get(name);
  }

  /** Changes the current policy, unless `change` returns undefined; it may be called again after a concurrent change. */
  async change<Changed extends BudgetPolicy | undefined>(
    name: string,
    change: (policy: BudgetPolicy) => Changed,
  ): Promise<Changed> {
    return retryConflict(async () => {
      const { policy, rev } = await this.#read(name);
      const next = change(policy);
      if (next === undefined) return next;
      await this.#config.dynamo.update({
        TableName: this.#config.table,
        Key: { pk: { S: name }, sk: { S: POLICY_SORT_KEY } },
        UpdateExpression: 'SET book = :book, rev = :next',
        ConditionExpression: rev === 0 ? 'attribute_not_exists(rev)' : 'rev = :rev',
        ExpressionAttributeValues: {
          ':book': { S: serializePolicy(next) },
          ':next': { N: String(rev + 1) },
          ...(rev === 0 ? {} : { ':rev': { N: String(rev) } }),
        },
      });
      this.#cache.delete(name);
      return next;
    });
  }

  async #read(name: string): Promise<StoredPolicy> {
    const { dynamo, table } = this.#config;
    const key = { pk: { S: name }, sk: { S: POLICY_SORT_KEY } };
    const { Item: item } = await dynamo.get({ TableName: table, Key: key, ConsistentRead: true });
    const text = item?.['book']?.S;
    const policy = text === undefined ? EMPTY_POLICY : parsePolicy(text);
    // Not as if there were no budgets: the workspace would pay for everything, and the next change would remove them.
    if (!policy) throw new UnreadablePolicyError(`The budgets of ${name} cannot be read.`);
    return { policy, rev: Number(item?.['rev']?.N ?? 0) };
  }
}

/** The usage of an account. `atto` and `requests` include reservations. */
export type UsageCounters = {
  readonly account: string;
  readonly atto: bigint;
  readonly requests: number;
  /** Questions that were answered, at least in part. Accounts of before this was counted have 0. */
  readonly questions: number;
  /** Questions without an answer, because something failed. Counted for the whole workspace only. */
  readonly failures: number;
  readonly models: Readonly<Record<string, ModelUsage>>;
};
/** The usage of an account, and what the reservations of requests in progress are of `atto`. */
export type AccountCounters = UsageCounters & { readonly openAtto: bigint };
export type ModelUsage = {
  readonly requests: number;
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
  readonly atto: bigint;
  /** Requests without a complete price: `atto` lacks their cost. */
  readonly unknown: number;
  /** Requests for which the server reported no usage: their tokens and cost are estimated. */
  readonly estimated: number;
};

/** A finished request. */
export type Booking = {
  readonly id: string;
  readonly model: string;
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
  readonly atto: bigint;
  readonly priced: boolean;
  /** Whether the server reported no usage. */
  readonly isEstimated?: boolean | undefined;
  /** Whether it answered a question. Other requests: tool rounds, regenerated answers, suggestions. */
  readonly isQuestion?: boolean | undefined;
};

type Item = Readonly<Record<string, AttributeValue>>;

/**
 * Returns the updates of the counters of a model, each in its own attribute: requests in `q:model-a`, and so
 * on.
 */
export function createCounterUpdates({
  model,
  prompt,
  cached,
  completion,
  atto,
  priced,
  isEstimated,
  isQuestion,
}: Booking) {
  const counts: readonly (readonly [letter: string, count: number | bigint])[] = [
    ['q', 1],
    ['p', prompt],
    ['k', cached],
    ['c', completion],
    ['a', atto],
    ['u', priced ? 0 : 1],
    ['e', isEstimated ? 1 : 0],
  ];
  return {
    sets: [
      ...counts.map(([letter]) => `#m${letter} = if_not_exists(#m${letter}, :zero) + :m${letter}`),
      ...(isQuestion ? [`#questions = if_not_exists(#questions, :zero) + :mq`] : []),
    ].join(', '),
    names: {
      ...Object.fromEntries(counts.map(([letter]) => [`#m${letter}`, `${letter}:${model}`])),
      ...(isQuestion && { '#questions': 'questions' }),
    },
    values: {
      ':zero': { N: '0' },
      ...Object.fromEntries(counts.map(([letter, count]) => [`:m${letter}`, { N: String(count) }])),
    },
  };
}

/** Reads the counters of an account's item. */
export function readUsageCounters(account: string, item: Item): UsageCounters {
  const number = (name: string): number => Number(item[name]?.N ?? 0);
  const names = Object.keys(item).flatMap((name) => (name.startsWith('q:') ? [name.slice(2)] : []));
  const models = names.map((name): [string, ModelUsage] => [
    name,
    {
      requests: number(`q:${name}`),
      prompt: number(`p:${name}`),
      cached: number(`k:${name}`),
      completion: number(`c:${name}`),
      atto: BigInt(item[`a:${name}`]?.N ?? 0),
      unknown: number(`u:${name}`),
      estimated: number(`e:${name}`),
    },
  ]);
  return {
    account,
    atto: BigInt(item['used']?.N ?? 0),
    requests: number('n'),
    questions: number('questions'),
    failures: number('failures'),
    models: Object.fromEntries(models),
  };
}
