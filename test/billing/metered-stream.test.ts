import { describe, expect, test } from '@jest/globals';
import {
  accountKeyOf,
  type BudgetPolicy,
  ATTO_PER_DOLLAR,
  EMPTY_POLICY,
} from '../../shared/billing/budgets/index.ts';
import { AllModelsBusyError, RateLimitExceededError } from '../../shared/rate-limits/errors.ts';
import { isFreeFailure } from '../../shared/billing/metered-stream.ts';
import { maxCostEstimate } from '../../shared/billing/max-cost-estimate.ts';
import { policyOf, BudgetExceeded, BudgetService } from '../../shared/billing/budget-service.ts';
import { BudgetPolicies, Ledger } from '../../shared/storage/index.ts';
import { ServerError, TimedOutError } from '../../shared/upstream/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { TestTime } from '../upstream/time.ts';
import { toolsFor } from '../../shared/chat/tools/history-tools.ts';
import { end, endingOf, rig, type Script, TURN } from '../chat/rig.ts';

test('a request costs nothing that was never sent, or that was refused; of one that was never answered nobody knows', () => {
  const free = [
    new RateLimitExceededError(1),
    new AllModelsBusyError(1),
    new ServerError('no', { status: 503 }),
  ];
  expect(free.map(isFreeFailure)).toEqual([true, true, true]);
  const unknown = [new TimedOutError('late'), new ServerError('no'), new Error('no'), undefined];
  expect(unknown.map(isFreeFailure)).toEqual([false, false, false, false]);
});

const BOOK = policyOf(TURN.thread);
const WHO = { person: TURN.asker, channel: TURN.thread.channel };
const price = () => Promise.resolve({ atto: ATTO_PER_DOLLAR, priced: true });
const DAILY: BudgetPolicy = {
  ...EMPTY_POLICY,
  rules: [{ scope: 'person', period: 'day', atto: 100n * ATTO_PER_DOLLAR }],
};

/** Budgets under which every call costs a dollar. `fails`: which writes of the ledger are lost, though they take place. */
async function budgets(
  book: BudgetPolicy = DAILY,
  { deployment = EMPTY_POLICY, zone = 'UTC', fails = (write: string): boolean => write === 'none' } = {},
) {
  const time = new TestTime();
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', now: time.now };
  const ledger = new Ledger(store);
  const books = new BudgetPolicies(store);
  await books.change(BOOK, () => book);
  /** Its writes take place, but nobody hears of it. */
  class LossyLedger extends Ledger {
    override async reserve(...given: Parameters<Ledger['reserve']>) {
      const done = await super.reserve(...given);
      if (fails('reserve')) throw new Error('the table is away');
      return done;
    }
    override async settle(...given: Parameters<Ledger['settle']>) {
      const done = await super.settle(...given);
      if (fails('settle')) throw new Error('the table is away');
      return done;
    }
  }
  const spending = new BudgetService({
    ledger: new LossyLedger(store),
    books,
    price,
    time,
    zone,
    deployment,
  });
  const ask = async (scripts: readonly Script[], more: Parameters<typeof rig>[1] = {}) => {
    const made = rig(scripts, { owner: { id: '1.1.1', thread: TURN.thread, person: TURN.asker }, ...more });
    Object.assign(made.work.context, { budgets: spending });
    const { ending } = await endingOf(made.run());
    return { ending, requests: made.requests.length };
  };
  const tally = () =>
    ledger.read({ book: BOOK, account: accountKeyOf('person', WHO, 'day', time.now(), 'UTC') });
  return { ask, tally, spending, ledger, time };
}

/** A request that has left, and fails. */
const failing = (error: Error): Script => [error];

describe('what a request comes to that fails before a word', () => {
  test('is nothing where the server refused it', async () => {
    const { ask, tally } = await budgets();
    await ask([failing(new ServerError('no', { status: 500 }))]);
    expect(await tally()).toMatchObject({ atto: 0n, requests: 0 });
  });

  test('is what was reserved where nobody knows whether it was billed: it was sent, and no answer came', async () => {
    const { ask, tally } = await budgets();
    await ask([failing(new TimedOutError('no answer', { code: 'first_byte' }))]);
    expect(await tally()).toMatchObject({ atto: ATTO_PER_DOLLAR, requests: 1 });
  });
});

test.each([
  ['a budget', DAILY],
  ['no budget', EMPTY_POLICY],
])('each request of a turn is booked where %s binds, those after a tool too', async (_, book) => {
  const { ask, tally } = await budgets(book);
  const toolCalls = [{ id: 'c1', name: 'search_thread', arguments: '{"query":"sky"}' }];
  const tools = toolsFor({ recall: () => Promise.resolve([]) });
  const { requests } = await ask([[end('', { finish: 'tool_calls', toolCalls })], [end('Light.')]], {
    tools,
  });
  expect(requests).toBe(2);
  expect(await tally()).toMatchObject({ atto: 2n * ATTO_PER_DOLLAR, requests: 2 });
});

test('a booking whose answer was lost is made again, and counts once', async () => {
  let lost = 0;
  const { ask, tally } = await budgets(DAILY, { fails: (write) => write === 'settle' && (lost += 1) === 1 });
  const { ending } = await ask([[end('Light.')]]);
  expect(ending.text).toBe('Light.');
  expect(lost).toBe(2);
  expect(await tally()).toMatchObject({ atto: ATTO_PER_DOLLAR, requests: 1 });
});

test('a reservation whose answer was lost is given back: nothing was asked', async () => {
  const { spending, tally } = await budgets(DAILY, { fails: (write) => write === 'reserve' });
  const asked = { thread: TURN.thread, person: TURN.asker, id: 'm1', atto: ATTO_PER_DOLLAR, maxMs: 60_000 };
  await expect(spending.agree(asked)).rejects.toThrow('the table is away');
  expect(await tally()).toMatchObject({ atto: 0n, requests: 0 });
});

const nothingADay = (scope: 'deployment' | 'workspace') => ({ scope, period: 'day', atto: 0n }) as const;

test('a budget of the deployment begins anew at its own midnight, one of the workspace at that of the workspace', async () => {
  const asked = { thread: TURN.thread, person: TURN.asker, id: 'm1', atto: ATTO_PER_DOLLAR, maxMs: 60_000 };
  const over = async (book: Partial<BudgetPolicy>, deployment: Partial<BudgetPolicy>): Promise<unknown> => {
    const { spending } = await budgets(
      { ...EMPTY_POLICY, zone: 'Asia/Tokyo', ...book },
      { zone: 'America/New_York', deployment: { ...EMPTY_POLICY, ...deployment } },
    );
    return await spending.agree(asked).catch((error: unknown) => error);
  };
  const ofDeployment = await over({}, { rules: [nothingADay('deployment')] });
  const ofWorkspace = await over({ rules: [nothingADay('workspace')] }, {});
  expect(ofDeployment).toMatchObject({ zone: 'America/New_York', until: Date.parse('2026-01-01T05:00:00Z') });
  expect(ofWorkspace).toMatchObject({ zone: 'Asia/Tokyo', until: Date.parse('2026-01-01T15:00:00Z') });
  expect(ofDeployment).toBeInstanceOf(BudgetExceeded);
});

test('what is reserved holds the longest answer that was asked for', () => {
  const { completionTokens } = maxCostEstimate({
    prompt: [{ role: 'user', content: 'Why?' }],
    maxTokens: 4_096,
  });
  expect(completionTokens).toBe(4_096);
});
