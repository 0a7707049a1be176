import { describe, expect, test } from '@jest/globals';
import { type BudgetPolicy, ATTO_PER_DOLLAR, EMPTY_POLICY } from '../../shared/billing/budgets/index.ts';
import { accountKeyOf } from '../../shared/billing/budgets/index.ts';
import { policyOf, type Price, BudgetService } from '../../shared/billing/budget-service.ts';
import { BudgetPolicies, Ledger } from '../../shared/storage/index.ts';
import { ServerError } from '../../shared/upstream/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { TestTime } from '../upstream/time.ts';
import { end, endingOf, rig, type Script, TURN } from '../chat/rig.ts';

const USAGE = { promptTokens: 100, completionTokens: 50, reasoningTokens: 0, cachedTokens: 40 };
const CENT = ATTO_PER_DOLLAR / 100n;

/** A cent for each call; the model `free-of-price` has none. */
const price: Price = ([model]) =>
  Promise.resolve(model === 'free-of-price' ? { atto: 0n, priced: false } : { atto: CENT, priced: true });

async function spending(book: Partial<BudgetPolicy>, scripts: readonly Script[]) {
  const dynamo = createMemoryDynamo();
  const time = new TestTime();
  const store = { dynamo, table: 'conversations', now: time.now };
  const ledger = new Ledger(store);
  const books = new BudgetPolicies(store);
  const name = policyOf(TURN.thread);
  await books.change(name, () => ({ ...EMPTY_POLICY, ...book }));
  const spends = new BudgetService({ ledger, books, price, time, zone: 'UTC', deployment: EMPTY_POLICY });
  const ask = (id: string, of: readonly Script[]) => {
    const made = rig(of, { owner: { id, thread: TURN.thread, person: TURN.asker } });
    Object.assign(made.work.context, { budgets: spends });
    return endingOf(made.run()).then(({ ending, steps }) => ({
      ending,
      steps,
      requests: made.requests.length,
    }));
  };
  const endings: Awaited<ReturnType<typeof ask>>[] = [];
  for (const [at, script] of scripts.entries()) endings.push(await ask(`m${at}`, [script]));
  const who = { person: TURN.asker, channel: TURN.thread.channel };
  const tally = (scope: 'person' | 'channel' | 'workspace') =>
    ledger.read({ book: name, account: accountKeyOf(scope, who, 'day', time.now(), 'UTC') });
  return { endings, tally };
}

const answer: Script = [end('Yes.', { usage: USAGE })];

describe('a question', () => {
  test('is booked on the day of the person, the channel and the workspace, by model', async () => {
    const { tally } = await spending({}, [answer, answer]);
    for (const scope of ['person', 'channel', 'workspace'] as const) {
      expect(await tally(scope)).toMatchObject({
        atto: 2n * CENT,
        requests: 2,
        models: { 'model-a': { requests: 2, prompt: 200, cached: 80, completion: 100, unknown: 0 } },
      });
    }
  });

  test('beyond the budget is not asked; who can raise it is said, and when it begins anew', async () => {
    const { endings, tally } = await spending(
      { rules: [{ scope: 'channel', period: 'day', atto: 2n * CENT }] },
      [answer, answer, answer],
    );
    expect(endings.map(({ requests }) => requests)).toEqual([1, 1, 0]);
    expect(endings[2]?.ending.text).toBe(
      '_The budget of this channel for today is used up. It begins anew at 00:00 UTC. An admin of this workspace can raise it with the command quota, also for today alone._',
    );
    expect(await tally('channel')).toMatchObject({ atto: 2n * CENT, requests: 2 });
  });

  test('that passes four fifths of a budget says so, once', async () => {
    const { endings } = await spending({ rules: [{ scope: 'person', period: 'day', requests: 5 }] }, [
      answer,
      answer,
      answer,
      answer,
      answer,
      answer,
    ]);
    const warned = endings.map(({ steps }) => steps.filter(({ id }) => id === 'budget').length);
    expect(warned).toEqual([0, 0, 0, 1, 0, 0]);
    expect(endings[3]?.steps[0]?.title).toBe('Four fifths of your budget for today are used');
  });

  test('that failed costs nothing; one that was broken off costs what came', async () => {
    const { tally } = await spending({ rules: [{ scope: 'person', period: 'day', atto: ATTO_PER_DOLLAR }] }, [
      [new ServerError('no', { status: 500 })],
      [{ type: 'text', text: 'Half of it' }, new ServerError('cut')],
    ]);
    expect(await tally('person')).toMatchObject({ atto: CENT, requests: 1 });
    expect((await tally('person')).models['model-a']?.completion).toBeGreaterThan(0);
  });

  test('of someone who is blocked is not asked', async () => {
    const { endings } = await spending({ blocked: [TURN.asker] }, [answer]);
    expect(endings[0]?.requests).toBe(0);
    expect(endings[0]?.ending.text).toMatch(/^_You may not ask me here\./u);
  });

  test('whose model has no price is booked as one whose cost is not known', async () => {
    const { tally } = await spending({}, [[end('Yes.', { usage: USAGE, model: 'free-of-price' })]]);
    expect((await tally('person')).models['free-of-price']).toMatchObject({ unknown: 1, atto: 0n });
  });
});
