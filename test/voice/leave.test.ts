import { describe, expect, test } from '@jest/globals';
import { type BudgetPolicy, ATTO_PER_DOLLAR, EMPTY_POLICY } from '../../shared/billing/budgets/index.ts';
import { type TranscriptionTask, messageId, userId } from '../../shared/domain/index.ts';
import { policyOf, BudgetService } from '../../shared/billing/budget-service.ts';
import { runTranscriptionTask, type VoiceContext } from '../../shared/worker/index.ts';
import type { SettingsLayers } from '../../shared/settings/rules/index.ts';
import { BudgetPolicies, Ledger } from '../../shared/storage/index.ts';
import { BadRequestError } from '../../shared/upstream/index.ts';
import { INVOCATION, rig, task, textOf, THREAD } from './rig.ts';

const ASK = { kind: 'ask' as const, question: 'And this?', attachments: [], receivedAt: 5 };
const BY_ITSELF = { kind: 'show' as const, first: true };
const TRANSLATE = {
  kind: 'translate' as const,
  to: 'fr',
  speak: false,
  invocation: INVOCATION,
};
const DENIED: SettingsLayers = { workspace: { values: { denied: ['U1'] } } };
const AUTOMATIC = { voice: 'automatic' } as const;

describe('nothing is fetched, heard or sent', () => {
  test.each<[string, TranscriptionTask['wish'], SettingsLayers]>([
    ['of who is barred, as it comes', BY_ITSELF, { ...DENIED, channel: { values: AUTOMATIC } }],
    ['of who is barred, as a question', ASK, DENIED],
    ['for who is barred', TRANSLATE, DENIED],
    ['where it is switched off', ASK, { channel: { values: { voice: 'off' } } }],
    ['where it was switched off since it came', BY_ITSELF, {}],
    [
      'of who has opted out since it came',
      BY_ITSELF,
      { channel: { values: AUTOMATIC }, person: { values: { voiceOptOut: true } } },
    ],
    ['where the bot is silent', ASK, { channel: { values: { mentions: 'off' } } }],
  ])('%s', async (_, wish, layers) => {
    const { context, delivery, heard, fetched, cards, asked, responses, set } = rig();
    set.layers = layers;
    expect(await runTranscriptionTask(task(wish), context, delivery)).toEqual({ kind: 'done' });
    expect([fetched, heard, cards]).toEqual([[], [], []]);
    // A question goes on to where who may not ask is told so; who pressed a button is told here.
    expect(asked).toHaveLength(wish.kind === 'ask' ? 1 : 0);
    expect(responses).toHaveLength(wish.kind === 'translate' ? 1 : 0);
  });

  test('of who has opted out, for others: neither written out nor translated; what is translated already is shown', async () => {
    const { context, delivery, heard, fetched, responses, set } = rig();
    await runTranscriptionTask(task({ kind: 'show' }), context, delivery);
    const other = { asker: userId('U2') };
    await runTranscriptionTask(task(TRANSLATE, other), context, delivery);
    const [sent, before] = [heard.length, fetched.length];
    set.of = { U1: { person: { values: { voiceOptOut: true } } } };
    await runTranscriptionTask(
      task({ kind: 'show' }, { by: userId('U2'), message: messageId('1.2') }),
      context,
      delivery,
    );
    await runTranscriptionTask(task({ ...TRANSLATE, to: 'de' }, other), context, delivery);
    await runTranscriptionTask(task(TRANSLATE, other), context, delivery);
    expect([heard.length, fetched.length]).toEqual([sent, before]);
    expect(responses.map(textOf)).toEqual([
      expect.stringContaining('mot0'),
      'Whoever recorded this does not want it written out.',
      expect.stringContaining('mot0'),
    ]);
    await runTranscriptionTask(task({ ...TRANSLATE, to: 'de' }), context, delivery);
    expect(heard.length).toBeGreaterThan(sent);
  });

  test('but for an admin, and for somebody else who may: then it is by their leave', async () => {
    const { context, delivery, heard, set } = rig();
    set.layers = DENIED;
    await runTranscriptionTask(
      task(ASK),
      { ...context, memberRoles: async () => ({ admin: true, roles: [] }) },
      delivery,
    );
    expect(heard).toHaveLength(3);
    const other = rig();
    other.set.layers = DENIED;
    await runTranscriptionTask(task({ kind: 'show' }, { by: userId('U2') }), other.context, delivery);
    expect(other.heard).toHaveLength(3);
  });

  test('where it is switched off, the question says so to the model', async () => {
    const { context, delivery, asked, set } = rig();
    set.layers = { channel: { values: { voice: 'off' } } };
    await runTranscriptionTask(task(ASK), context, delivery);
    expect(JSON.stringify(asked[0]?.body)).toContain('And this?\\n\\n(a voice message that could not be');
  });
});

const CENT = ATTO_PER_DOLLAR / 100n;
const price = async () => ({ atto: CENT, priced: true });

async function budgeted(book: Partial<BudgetPolicy>, tapes?: Parameters<typeof rig>[0]) {
  const made = rig(tapes);
  const { dynamo, time, context } = made;
  const store = { dynamo, table: 'conversations', now: time.now };
  const [ledger, books] = [new Ledger(store), new BudgetPolicies(store)];
  await books.change(policyOf(THREAD), () => ({ ...EMPTY_POLICY, ...book }));
  const spending = new BudgetService({ ledger, books, price, time, zone: 'UTC', deployment: EMPTY_POLICY });
  const spent = async (user: string) => {
    const [first] = await spending.budgets(THREAD, { person: user, channel: 'C1' }, 'person');
    return first?.tally;
  };
  return { ...made, context: { ...context, budgets: spending }, spent };
}

describe('requests for speech', () => {
  const DOLLAR_A_DAY = {
    rules: [{ scope: 'person' as const, period: 'day' as const, atto: ATTO_PER_DOLLAR }],
  };

  test('count for who wanted them, and what was heard is not asked and paid for again', async () => {
    const { context, delivery, spent, hooks } = await budgeted(DOLLAR_A_DAY);
    hooks.beforeHear = (n) => {
      if (n === 2) throw new Error('killed');
    };
    const wanted = task({ kind: 'show' }, { by: userId('U2') });
    await expect(runTranscriptionTask(wanted, context, delivery)).rejects.toThrow('killed');
    delete hooks.beforeHear;
    await runTranscriptionTask(wanted, context, { ...delivery, isRedelivery: true });
    // The one that was broken off may have been answered.
    const models = { speech: { requests: 4 } };
    expect(await spent('U2')).toMatchObject({ atto: 4n * CENT, requests: 4, models });
    expect(await spent('U1')).toMatchObject({ atto: 0n });
  });

  test('beyond the budget are not sent, and it is said why; what is refused costs nothing', async () => {
    const rules = [{ scope: 'person' as const, period: 'day' as const, atto: 2n * CENT }];
    const { context, delivery, heard, cards } = await budgeted({ rules });
    await runTranscriptionTask(task({ kind: 'show' }), context, delivery);
    expect(heard).toHaveLength(2);
    expect(textOf(cards.at(-1)?.card)).toMatch(/Writing out failed.*budget for today is used up/u);

    const refused = await budgeted(DOLLAR_A_DAY);
    const ears = { hear: () => Promise.reject(new BadRequestError('no', { status: 400 })) };
    await runTranscriptionTask(
      task({ kind: 'show' }),
      { ...refused.context, transcriptionClient: ears },
      delivery,
    );
    expect(await refused.spent('U1')).toMatchObject({ atto: 0n });
  });

  test('so does the summary of a long one', async () => {
    const { context, delivery, spent } = await budgeted(DOLLAR_A_DAY, { F1: { pieces: 12 } });
    const chat: VoiceContext['chat'] = {
      model: 'model-a',
      async *stream(_, { beforeAttempt }) {
        await beforeAttempt();
        yield { type: 'end', text: '**Summary**', finish: 'stop', model: 'model-a' };
      },
    };
    await runTranscriptionTask(task({ kind: 'show', summary: true }), { ...context, chat }, delivery);
    expect(await spent('U1')).toMatchObject({ models: { 'model-a': { requests: 1, atto: CENT } } });
  });
});
