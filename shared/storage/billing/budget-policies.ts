import { type BudgetPolicy, policyText, EMPTY_POLICY, parsePolicy } from '../../billing/budgets/index.ts';
import { ConditionFailed, type Dynamo } from '../dynamodb/dynamo.ts';

const ACCOUNT = 'RULES';
/** How long a process goes by what it has read; a changed budget is in force after that at the latest. */
const CACHE_TTL_MS = 30_000;

export type BudgetPoliciesConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly now: () => number;
};

type Held = { readonly book: BudgetPolicy; readonly rev: number; readonly at: number };

/** What workspaces have laid down about budgets: one item for each, read at most twice a minute. */
export class BudgetPolicies {
  readonly #config: BudgetPoliciesConfig;
  readonly #held = new Map<string, Held>();

  constructor(config: BudgetPoliciesConfig) {
    this.#config = config;
  }

  /** The book of that name, at most half a minute old; an empty one where nothing was laid down. */
  async get(name: string): Promise<BudgetPolicy> {
    const held = this.#held.get(name);
    if (held && this.#config.now() - held.at < CACHE_TTL_MS) return held.book;
    return (await this.#read(name)).book;
  }

  /** Changes a book as it is now; `change` may be called again if someone else changed it meanwhile. */
  async change(name: string, change: (book: BudgetPolicy) => BudgetPolicy): Promise<BudgetPolicy> {
    for (let attempt = 1; ; attempt += 1) {
      const { book, rev } = await this.#read(name);
      const next = change(book);
      try {
        await this.#config.dynamo.update({
          TableName: this.#config.table,
          Key: { pk: { S: name }, sk: { S: ACCOUNT } },
          UpdateExpression: 'SET book = :book, rev = :next',
          ConditionExpression: rev === 0 ? 'attribute_not_exists(rev)' : 'rev = :rev',
          ExpressionAttributeValues: {
            ':book': { S: policyText(next) },
            ':next': { N: String(rev + 1) },
            ...(rev === 0 ? {} : { ':rev': { N: String(rev) } }),
          },
        });
        this.#held.delete(name);
        return next;
      } catch (error) {
        if (!(error instanceof ConditionFailed) || attempt >= 5) throw error;
      }
    }
  }

  async #read(name: string): Promise<Held> {
    const { dynamo, table, now } = this.#config;
    const key = { pk: { S: name }, sk: { S: ACCOUNT } };
    const { Item: item } = await dynamo.get({ TableName: table, Key: key, ConsistentRead: true });
    const book = parsePolicy(item?.['book']?.S ?? '') ?? EMPTY_POLICY;
    const held = { book, rev: Number(item?.['rev']?.N ?? 0), at: now() };
    this.#held.set(name, held);
    return held;
  }
}
