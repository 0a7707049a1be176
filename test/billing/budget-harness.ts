import { randomUUID } from 'node:crypto';
import {
  getAccountName,
  type BudgetPolicy,
  ATTO_PER_DOLLAR,
  EMPTY_POLICY,
} from '../../shared/billing/budgets/index.ts';
import type { PromptMessage } from '../../shared/domain/index.ts';
import { type Price } from '../../shared/billing/reservation.ts';
import { getAccountPartition, BudgetService } from '../../shared/billing/budget-service.ts';
import { BudgetPolicies, Ledger } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { TestTime } from '../upstream/time.ts';
import { outcomeOf, completionHarness, type Script, TURN } from '../chat/completion-harness.ts';

export const PARTITION = getAccountPartition(TURN.thread);
export const SUBJECT = { person: TURN.asker, channel: TURN.thread.channel };
export const price: Price = () => Promise.resolve({ atto: ATTO_PER_DOLLAR, priced: true });
export const DAILY: BudgetPolicy = {
  ...EMPTY_POLICY,
  rules: [{ scope: 'person', period: 'day', atto: 100n * ATTO_PER_DOLLAR }],
};

/** Budgets under which every request costs a dollar. `fails`: for which writes of the ledger the response is lost. */
export async function createBudgets(
  policy: BudgetPolicy = DAILY,
  {
    deployment = EMPTY_POLICY,
    zone = 'UTC',
    fails = (write: string): boolean => write === 'none',
    price: priceOf = price,
  } = {},
) {
  const time = new TestTime();
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', now: time.now };
  const ledger = new Ledger(store);
  const policies = new BudgetPolicies(store);
  await policies.change(PARTITION, () => policy);
  /** Writes, but fails as if the response were lost. */
  class LossyLedger extends Ledger {
    override async reserve(...args: Parameters<Ledger['reserve']>) {
      const result = await super.reserve(...args);
      if (fails('reserve')) throw new Error('the table is unavailable');
      return result;
    }
    override async settle(...args: Parameters<Ledger['settle']>) {
      const result = await super.settle(...args);
      if (fails('settle')) throw new Error('the table is unavailable');
      return result;
    }
  }
  const budgets = new BudgetService({
    createId: randomUUID,
    ledger: new LossyLedger(store),
    policies,
    price: priceOf,
    time,
    zone,
    deploymentPolicy: deployment,
  });
  const ask = async (
    scripts: readonly Script[],
    more: Parameters<typeof completionHarness>[1] = {},
    prompt?: readonly PromptMessage[],
  ) => {
    const question = completionHarness(scripts, {
      owner: { id: '1.1.1', thread: TURN.thread, person: TURN.asker, isQuestion: false },
      ...more,
    });
    Object.assign(question.work.context, { budgets });
    const { outcome } = await outcomeOf(question.run(prompt));
    return { outcome, requests: question.requests.length };
  };
  const readCounters = () =>
    ledger.read({
      partition: PARTITION,
      account: getAccountName('person', SUBJECT, 'day', time.now(), 'UTC'),
    });
  return { ask, readCounters, budgets };
}

/** A request that is sent and fails. */
