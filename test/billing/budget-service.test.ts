import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  type BudgetPolicy,
  ATTO_PER_DOLLAR,
  EMPTY_POLICY,
  getAccountName,
} from '../../shared/billing/budgets/index.ts';
import { applyPolicyChange } from '../../shared/billing/edit-budget-policy.ts';
import { getAccountPartition, BudgetService } from '../../shared/billing/budget-service.ts';
import { BudgetPolicies, type Dynamo, Ledger } from '../../shared/storage/index.ts';
import { describeFailure } from '../../shared/chat/index.ts';
import { type Locale, LOCALES } from '../../shared/i18n/index.ts';
import { ServerError } from '../../shared/upstream/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { TestTime } from '../upstream/time.ts';
import { endEvent, outcomeOf, completionHarness, type Script, TURN } from '../chat/completion-harness.ts';
import { type Price } from '../../shared/billing/reservation.ts';
import { createBudgets, DAILY } from './budget-harness.ts';

const USAGE = { promptTokens: 100, completionTokens: 50, reasoningTokens: 0, cachedTokens: 40 };
const CENT = ATTO_PER_DOLLAR / 100n;

/** Each request costs a cent; the model `free-of-price` has no known price. */
const price: Price = ([model]) =>
  Promise.resolve(model === 'free-of-price' ? { atto: 0n, priced: false } : { atto: CENT, priced: true });

/** Answers one question per script, under a policy. */
async function answerUnderBudget(
  policy: Partial<BudgetPolicy>,
  scripts: readonly Script[],
  dynamo: Dynamo = createMemoryDynamo(),
) {
  const time = new TestTime();
  const store = { dynamo, table: 'conversations', now: time.now };
  const ledger = new Ledger(store);
  const policies = new BudgetPolicies(store);
  const partition = getAccountPartition(TURN.thread);
  await policies.change(partition, () => ({ ...EMPTY_POLICY, ...policy }));
  const budgets = new BudgetService({
    createId: randomUUID,
    ledger,
    policies,
    price,
    time,
    zone: 'UTC',
    deploymentPolicy: EMPTY_POLICY,
  });
  const ask = (id: string, script: Script) => {
    const question = completionHarness([script], {
      owner: { id, thread: TURN.thread, person: TURN.asker, isQuestion: false },
    });
    Object.assign(question.work.context, { budgets });
    return outcomeOf(question.run()).then(({ outcome, steps }) => ({
      outcome,
      steps,
      requests: question.requests.length,
    }));
  };
  const endings: Awaited<ReturnType<typeof ask>>[] = [];
  for (const [n, script] of scripts.entries()) endings.push(await ask(`m${n}`, script));
  const subject = { person: TURN.asker, channel: TURN.thread.channel };
  const readCounters = (scope: 'person' | 'channel' | 'workspace') =>
    ledger.read({ partition, account: getAccountName(scope, subject, 'day', time.now(), 'UTC') });
  return { endings, readCounters };
}

const answer: Script = [endEvent('Yes.', { usage: USAGE })];

describe('a question', () => {
  test('is booked on the daily accounts of the person, channel and workspace, per model', async () => {
    const { readCounters } = await answerUnderBudget({}, [answer, answer]);
    for (const scope of ['person', 'channel', 'workspace'] as const) {
      expect(await readCounters(scope)).toMatchObject({
        atto: 2n * CENT,
        requests: 2,
        models: { 'model-a': { requests: 2, prompt: 200, cached: 80, completion: 100, unknown: 0 } },
      });
    }
  });

  test('whose usage the server does not report is booked as estimated', async () => {
    const { readCounters } = await answerUnderBudget({}, [answer, [endEvent('Yes.')]]);
    const { models } = await readCounters('person');
    expect(models['model-a']).toMatchObject({ requests: 2, estimated: 1 });
  });

  test('over the budget is not sent; the notice says who can raise the budget and when the next period starts', async () => {
    const { endings, readCounters } = await answerUnderBudget(
      { rules: [{ scope: 'channel', period: 'day', atto: 2n * CENT }] },
      [answer, answer, answer],
    );
    expect(endings.map(({ requests }) => requests)).toEqual([1, 1, 0]);
    expect(endings[2]?.outcome.text).toBe(
      '_The budget of this channel for today is used up. It starts again at 00:00 UTC. An admin can raise it with the command `quota`, also for today only._',
    );
    expect(await readCounters('channel')).toMatchObject({ atto: 2n * CENT, requests: 2 });
  });

  test('that uses four fifths of a budget shows a warning, once', async () => {
    const { endings } = await answerUnderBudget(
      { rules: [{ scope: 'person', period: 'day', requests: 5 }] },
      [answer, answer, answer, answer, answer, answer],
    );
    const warnings = endings.map(({ steps }) => steps.filter(({ id }) => id === 'budget').length);
    expect(warnings).toEqual([0, 0, 0, 1, 0, 0]);
    expect(endings[3]?.steps[0]?.title).toBe('80% of your budget for today is used');
  });

  test('that broke off shows no warning, and leaves it to the next answer', async () => {
    const { endings } = await answerUnderBudget(
      { rules: [{ scope: 'person', period: 'day', requests: 5 }] },
      [answer, answer, answer, [{ type: 'text', text: 'Half of it' }, new ServerError('cut')], answer],
    );
    const warnings = endings.map(({ steps }) => steps.filter(({ id }) => id === 'budget').length);
    expect(warnings).toEqual([0, 0, 0, 0, 1]);
  });

  test('is answered and booked, also if the warning cannot be stored', async () => {
    const memory = createMemoryDynamo();
    const dynamo: typeof memory = {
      ...memory,
      update: async (input) => {
        if (input.UpdateExpression?.includes('#warned')) throw new Error('the table is slow');
        return memory.update(input);
      },
    };
    const rules = [{ scope: 'person', period: 'day', requests: 1 }] as const;
    const { endings, readCounters } = await answerUnderBudget({ rules: [...rules] }, [answer], dynamo);
    expect(endings).toMatchObject([{ outcome: { kind: 'answered', text: 'Yes.' }, steps: [] }]);
    expect(await readCounters('person')).toMatchObject({ requests: 1, atto: CENT });
  });

  test('that fails costs nothing; an interrupted one costs what was received', async () => {
    const { readCounters } = await answerUnderBudget(
      { rules: [{ scope: 'person', period: 'day', atto: ATTO_PER_DOLLAR }] },
      [
        [new ServerError('no', { status: 500 })],
        [{ type: 'text', text: 'Half of it' }, new ServerError('cut')],
      ],
    );
    expect(await readCounters('person')).toMatchObject({ atto: CENT, requests: 1 });
    expect((await readCounters('person')).models['model-a']?.completion).toBeGreaterThan(0);
  });

  test('of a blocked person is not sent', async () => {
    const { endings } = await answerUnderBudget({ blocked: [TURN.asker] }, [answer]);
    expect(endings[0]?.requests).toBe(0);
    expect(endings[0]?.outcome.text).toMatch(/^_You may not ask me here\./u);
  });

  test('to a model without a price is booked as a request of unknown cost', async () => {
    const { readCounters } = await answerUnderBudget({}, [
      [endEvent('Yes.', { usage: USAGE, model: 'free-of-price' })],
    ]);
    expect((await readCounters('person')).models['free-of-price']).toMatchObject({ unknown: 1, atto: 0n });
  });
});

test('a change of the policy is decided on the current one, which another process changed a moment ago', async () => {
  const dynamo = createMemoryDynamo();
  const time = new TestTime();
  const store = { dynamo, table: 'conversations', now: time.now };
  const createService = () =>
    new BudgetService({
      createId: randomUUID,
      ledger: new Ledger(store),
      policies: new BudgetPolicies(store),
      price,
      time,
      zone: 'UTC',
      deploymentPolicy: EMPTY_POLICY,
    });
  const [one, reader, changer] = [createService(), createService(), createService()];
  // All have just read the policy.
  await Promise.all([one, reader, changer].map((service) => service.getZone(TURN.thread)));
  const change = (kind: 'block' | 'unblock') => (policy: BudgetPolicy) =>
    applyPolicyChange(policy, { kind, who: 'U9' }, time.now(), 'UTC');
  await one.changePolicy(TURN.thread, change('block'));
  expect((await reader.getPolicy(TURN.thread)).blocked).toEqual(['U9']);
  const changed = await changer.changePolicy(TURN.thread, change('unblock'));
  expect(changed?.blocked).toEqual([]);
});

test('a question is answered, within the budget, where this system does not know the time zone of the workspace', async () => {
  const rules = [{ scope: 'person', period: 'day', requests: 1 }] as const;
  const { endings, readCounters } = await answerUnderBudget({ zone: 'Mars/Base', rules: [...rules] }, [
    answer,
    answer,
  ]);
  expect(endings.map(({ outcome }) => outcome.kind)).toEqual(['answered', 'failed']);
  expect((await readCounters('person')).requests).toBe(1);
});

describe('a request that is sent again, after a redelivery of its task', () => {
  const REQUEST = {
    id: 'form-1',
    thread: TURN.thread,
    person: TURN.asker,
    model: 'model-a',
    prompt: [{ role: 'user', content: 'Why?' }],
    maxTokens: 100,
  } as const;

  test.each([
    ['with a budget', DAILY],
    ['without a budget', EMPTY_POLICY],
  ])('is booked again, on an account %s', async (_, policy) => {
    const { budgets, readCounters } = await createBudgets(policy);
    for (let n = 0; n < 2; n += 1) {
      const reservation = await budgets.reserve(REQUEST);
      await reservation.settle('model-a', USAGE, '');
      // Safe to repeat.
      await reservation.settle('model-a', USAGE, '');
    }
    expect(await readCounters()).toMatchObject({
      requests: 2,
      atto: 2n * ATTO_PER_DOLLAR,
      models: { 'model-a': { requests: 2, prompt: 200 } },
    });
  });

  test('leaves the reservation of the worker that died as spent', async () => {
    const { budgets, readCounters } = await createBudgets();
    await budgets.reserve(REQUEST);
    const reservation = await budgets.reserve(REQUEST);
    await reservation.settle('model-a', USAGE, '');
    expect(await readCounters()).toMatchObject({ requests: 2, atto: 2n * ATTO_PER_DOLLAR });
  });
});

/** A budget of ten cents, and requests that may cost seven cents. */
function tenCents() {
  const time = new TestTime();
  const dynamo = createMemoryDynamo();
  const store = { dynamo, table: 'conversations', now: time.now };
  const policy: BudgetPolicy = {
    ...EMPTY_POLICY,
    rules: [{ scope: 'deployment', period: 'day', atto: 10n * CENT }],
  };
  const budgets = new BudgetService({
    createId: randomUUID,
    ledger: new Ledger(store),
    policies: new BudgetPolicies(store),
    // Seven cents for what may be 100 tokens, and otherwise two.
    price: (_, { completionTokens }) =>
      Promise.resolve({ atto: (completionTokens === 100 ? 7n : 2n) * CENT, priced: true }),
    time,
    zone: 'UTC',
    deploymentPolicy: policy,
  });
  const reserve = (person: string, maxTokens = 100) =>
    budgets.reserve({ id: 'm', thread: TURN.thread, person, model: 'a', prompt: [], maxTokens });
  const refusal = (locale: Locale = 'en') =>
    reserve('U9').then(
      () => 'none',
      (error: unknown) => describeFailure(error, { now: time.now(), locale })?.sentence,
    );
  return { reserve, refusal };
}

describe('a question that a budget does not allow', () => {
  test('while another one is asked reads that the rest is reserved, and is accepted afterwards', async () => {
    const { reserve, refusal } = tenCents();
    const first = await reserve('U1');
    expect(await refusal()).toBe(
      'What is left of the budget of this bot for today is reserved for requests in progress. Ask again in a moment.',
    );
    await first.settle('a', USAGE, '');
    expect(await refusal()).toBe('none');
  });

  test('although it is not used up reads that the rest may not be enough', async () => {
    const { reserve, refusal } = tenCents();
    for (let n = 0; n < 2; n += 1) await (await reserve('U1')).settle('a', USAGE, '');
    expect(await refusal()).toBe(
      'What is left of the budget of this bot for today may not be enough for this. It starts again at 00:00 UTC. The operator of this bot can raise it.',
    );
    for (const locale of LOCALES) expect(await refusal(locale)).toContain('00:00 UTC');
  });
});

test('people are warned by what is spent, not by what requests in progress may cost', async () => {
  const { reserve } = tenCents();
  await reserve('U1');
  const short = await reserve('U2', 10);
  // Two cents are spent, and seven are reserved.
  expect(await short.settle('a', USAGE, '', { canWarn: true })).toBeUndefined();
});
