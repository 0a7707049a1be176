import {
  type BudgetPolicy,
  serializePolicy,
  EMPTY_POLICY,
  parsePolicy,
} from '../../billing/budgets/index.ts';
import { type Dynamo, retryConflict } from '../dynamodb/dynamo.ts';
import { TtlCache } from '../../utils/index.ts';

const POLICY_SORT_KEY = 'RULES';
/** How long a policy is cached; a changed policy applies after this time at the latest. */
const CACHE_TTL_MS = 30_000;

export type BudgetPoliciesConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly now: () => number;
};

type StoredPolicy = { readonly book: BudgetPolicy; readonly rev: number };

/** The budget policies of workspaces: one item each, read at most twice a minute. */
export class BudgetPolicies {
  readonly #config: BudgetPoliciesConfig;
  readonly #cache: TtlCache<StoredPolicy>;

  constructor(config: BudgetPoliciesConfig) {
    this.#config = config;
    this.#cache = new TtlCache({ now: config.now, ttlMs: CACHE_TTL_MS });
  }

  /** Returns a policy, at most half a minute old; an empty one if there is none. */
  async get(name: string): Promise<BudgetPolicy> {
    return (await this.#cache.get(name, (key) => this.#read(key))).book;
  }

  /** Changes the current policy; `change` may be called again after a concurrent change. */
  async change(name: string, change: (book: BudgetPolicy) => BudgetPolicy): Promise<BudgetPolicy> {
    return retryConflict(async () => {
      const { book, rev } = await this.#read(name);
      const next = change(book);
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
    const book = parsePolicy(item?.['book']?.S ?? '') ?? EMPTY_POLICY;
    return { book, rev: Number(item?.['rev']?.N ?? 0) };
  }
}
