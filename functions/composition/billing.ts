import { randomUUID } from 'node:crypto';
import { BudgetService, type Price, type Budgets, unlimitedBudget } from '../../shared/billing/index.ts';
import { EMPTY_POLICY } from '../../shared/billing/budgets/index.ts';
import { type Log, type WorkerConfig, systemTime, type Time } from '../../shared/runtime/index.ts';
import { BudgetPolicies, type Dynamo, Ledger } from '../../shared/storage/index.ts';
import { calculateCost, type Model, parsePrice, type Pricing } from '../../shared/upstream/index.ts';
import prices from '../prices.json' with { type: 'json' };

/** The prices of a model in `functions/prices.json`, with the names of the list, or with that of earlier versions. */
type FilePricing = Pricing & { readonly input_cache_read?: string | undefined };

/** Prices of models without a price in the models list. Deployment fails with a price that would be ignored. */
const FILE: Readonly<Record<string, FilePricing | undefined>> = prices;

/** The ledger and budgets, if the deployment has them. */
export function createBudgets(
  config: Pick<WorkerConfig, 'accounts' | 'conversationsTable' | 'timeZone' | 'deploymentBudget'>,
  dynamo: Dynamo,
  price: Price,
  time: Time = systemTime,
  log?: Log,
): Budgets {
  if (config.accounts === 'off') return unlimitedBudget;
  const store = { dynamo, table: config.conversationsTable, now: time.now };
  return new BudgetService({
    ledger: new Ledger(store),
    policies: new BudgetPolicies({ ...store, ...(log && { log }) }),
    price,
    time,
    createId: () => randomUUID().slice(-12),
    zone: config.timeZone,
    deploymentPolicy: { ...EMPTY_POLICY, rules: config.deploymentBudget },
  });
}

/** The prices of a model: those of the list. Where it has none for tokens, as with servers that name them otherwise, the file adds its own. */
function combinePrices(
  listed: Pricing = {},
  { input_cache_read: inputCacheRead, ...file }: FilePricing = {},
): Pricing {
  // OpenRouter lists -1 for a price that depends on the request.
  const known = Object.fromEntries(
    Object.entries(listed).filter(([, price]) => parsePrice(price) !== undefined),
  );
  return known['prompt'] === undefined && known['completion'] === undefined
    ? { ...(inputCacheRead !== undefined && { inputCacheRead }), ...file, ...known }
    : known;
}

/** Prices a request by the models list, otherwise by the file. */
export const createPricing =
  (models: () => Promise<readonly Model[]>, file = FILE): Price =>
  async (names, usage, images, requests) => {
    const list = await models();
    const pricing = names
      .map((name) => combinePrices(list.find(({ id }) => id === name)?.pricing, file[name]))
      .find((one) => Object.values(one).some((price) => price !== undefined));
    const { atto, unpriced: unknown } = calculateCost(usage, pricing, images, requests);
    // Without a price for requests they are free. Tokens are never free.
    return { atto, priced: unknown.every((part) => part === 'request') && pricing !== undefined };
  };
