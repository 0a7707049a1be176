import { type BudgetPolicy, policyText, EMPTY_POLICY, parsePolicy } from '../../billing/budgets/index.ts';
import { ConditionFailedError, type Dynamo } from '../dynamodb/dynamo.ts';

const POLICY_SORT_KEY = 'RULES';
/** How long a policy is cached; a changed policy applies after this time at the latest. */
const CACHE_TTL_MS = 30_000;

export type BudgetPoliciesConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly now: () => number;
};

type CachedPolicy = { readonly book: BudgetPolicy; readonly rev: number; readonly at: number };

/** The budget policies of workspaces: one item each, read at most twice a minute. */
export class BudgetPolicies {
  readonly #config: BudgetPoliciesConfig;
  readonly #cache = new Map<string, CachedPolicy>();

  constructor(config: BudgetPoliciesConfig) {
    this.#config = config;
  }

  /** Returns a policy, at most half a minute old; an empty one if there is none. */
  async get(name: string): Promise<BudgetPolicy> {
    const cached = this.#cache.get(name);
    if (cached && this.#config.now() - cached.at < CACHE_TTL_MS) return cached.book;
    return (await this.#read(name)).book;
  }

  /** Changes the current policy; `change` may be called again after a concurrent change. */
  async change(name: string, change: (book: BudgetPolicy) => BudgetPolicy): Promise<BudgetPolicy> {
    for (let attempt = 1; ; attempt += 1) {
      const { book, rev } = await this.#read(name);
      const next = change(book);
      try {
        await this.#config.dynamo.update({
          TableName: this.#config.table,
          Key: { pk: { S: name }, sk: { S: POLICY_SORT_KEY } },
          UpdateExpression: 'SET book = :book, rev = :next',
          ConditionExpression: rev === 0 ? 'attribute_not_exists(rev)' : 'rev = :rev',
          ExpressionAttributeValues: {
            ':book': { S: policyText(next) },
            ':next': { N: String(rev + 1) },
            ...(rev === 0 ? {} : { ':rev': { N: String(rev) } }),
          },
        });
        this.#cache.delete(name);
        return next;
      } catch (error) {
        if (!(error instanceof ConditionFailedError) || attempt >= 5) throw error;
      }
    }
  }

  async #read(name: string): Promise<CachedPolicy> {
    const { dynamo, table, now } = this.#config;
    const key = { pk: { S: name }, sk: { S: POLICY_SORT_KEY } };
    const { Item: item } = await dynamo.get({ TableName: table, Key: key, ConsistentRead: true });
    const book = parsePolicy(item?.['book']?.S ?? '') ?? EMPTY_POLICY;
    const cached = { book, rev: Number(item?.['rev']?.N ?? 0), at: now() };
    this.#cache.set(name, cached);
    return cached;
  }
}
