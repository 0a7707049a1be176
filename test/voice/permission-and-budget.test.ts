import { randomUUID } from 'node:crypto';
import { streamsOnly } from '../fakes/streams-only.ts';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import {
  type BudgetPolicy,
  ATTO_PER_DOLLAR,
  EMPTY_POLICY,
  getAccountName,
} from '../../shared/billing/budgets/index.ts';
import { type TranscriptionTask, messageId, userId } from '../../shared/domain/index.ts';
import { getAccountPartition, BudgetService } from '../../shared/billing/budget-service.ts';
import { runTranscriptionTask, type VoiceContext } from '../../shared/voice/index.ts';
import type { SettingsLayers } from '../../shared/settings/rules/index.ts';
import { BudgetPolicies, Ledger } from '../../shared/storage/index.ts';
import { BadRequestError } from '../../shared/upstream/index.ts';
import { INTERACTION, RECORDING, voiceHarness, task, textOf, THREAD } from './voice-harness.ts';

const ASK = { kind: 'ask' as const, question: 'And this?', attachments: [], receivedAt: 5 };
const AUTOMATIC_TASK = { kind: 'show' as const, explainOptOut: true };
const TRANSLATE = {
  kind: 'translate' as const,
  to: 'fr',
  speak: false,
  interaction: INTERACTION,
};
const DENIED: SettingsLayers = { workspace: { values: { denied: ['U1'] } } };
const AUTOMATIC = { voice: 'automatic' } as const;

describe('nothing is downloaded or transcribed', () => {
  test.each<[string, TranscriptionTask['request'], SettingsLayers]>([
    ['automatically, for a denied author', AUTOMATIC_TASK, { ...DENIED, channel: { values: AUTOMATIC } }],
    ['of a question, for a denied author', ASK, DENIED],
    ['of a translation, for a denied person', TRANSLATE, DENIED],
    ['if transcription is off', ASK, { channel: { values: { voice: 'off' } } }],
    ['if automatic transcription was turned off after the message', AUTOMATIC_TASK, {}],
    [
      'if the author opted out after the message',
      AUTOMATIC_TASK,
      { channel: { values: AUTOMATIC }, person: { values: { voiceOptOut: true } } },
    ],
    ['if the bot is silent', ASK, { channel: { values: { mentions: 'off' } } }],
  ])('%s', async (_, request, layers) => {
    const { context, delivery, transcriptions, fetched, cards, tasks, responses, set } = voiceHarness();
    set.layers = layers;
    expect(await runTranscriptionTask(task(request), context, delivery)).toEqual({ kind: 'done' });
    expect([fetched, transcriptions, cards]).toEqual([[], [], []]);
    // The worker rejects the question; a button click is answered here.
    expect(tasks).toHaveLength(request.kind === 'ask' ? 1 : 0);
    expect(responses).toHaveLength(request.kind === 'translate' ? 1 : 0);
  });

  test('for other people after the author opted out; existing translations are still shown', async () => {
    const { context, delivery, transcriptions, fetched, responses, set } = voiceHarness();
    await runTranscriptionTask(task({ kind: 'show' }), context, delivery);
    const other = { asker: userId('U2') };
    await runTranscriptionTask(task(TRANSLATE, other), context, delivery);
    const [sent, before] = [transcriptions.length, fetched.length];
    set.of = { U1: { person: { values: { voiceOptOut: true } } } };
    await runTranscriptionTask(
      task({ kind: 'show' }, { by: userId('U2'), message: messageId('1.2') }),
      context,
      delivery,
    );
    await runTranscriptionTask(task({ ...TRANSLATE, to: 'de' }, other), context, delivery);
    await runTranscriptionTask(task(TRANSLATE, other), context, delivery);
    expect([transcriptions.length, fetched.length]).toEqual([sent, before]);
    expect(responses.map(textOf)).toEqual([
      expect.stringContaining('mot0'),
      'The person who recorded this does not want it transcribed.',
      expect.stringContaining('mot0'),
    ]);
    await runTranscriptionTask(task({ ...TRANSLATE, to: 'de' }), context, delivery);
    expect(transcriptions.length).toBeGreaterThan(sent);
  });

  test('except for an admin, and for another requester who is allowed', async () => {
    const { context, delivery, transcriptions, set } = voiceHarness();
    set.layers = DENIED;
    await runTranscriptionTask(
      task(ASK),
      { ...context, memberRoles: async () => ({ admin: true, roles: [] }) },
      delivery,
    );
    expect(transcriptions).toHaveLength(3);
    const other = voiceHarness();
    other.set.layers = DENIED;
    await runTranscriptionTask(task({ kind: 'show' }, { by: userId('U2') }), other.context, delivery);
    expect(other.transcriptions).toHaveLength(3);
  });

  test('and the question tells the model so if transcription is off', async () => {
    const { context, delivery, tasks, set } = voiceHarness();
    set.layers = { channel: { values: { voice: 'off' } } };
    await runTranscriptionTask(task(ASK), context, delivery);
    expect(JSON.stringify(tasks[0]?.body)).toContain('And this?\\n\\n(a voice message that could not be');
  });
});

const CENT = ATTO_PER_DOLLAR / 100n;
const price = async () => ({ atto: CENT, priced: true });

async function budgeted(book: Partial<BudgetPolicy>, tapes?: Parameters<typeof voiceHarness>[0]) {
  const harness = voiceHarness(tapes);
  const { dynamo, time, context } = harness;
  const store = { dynamo, table: 'conversations', now: time.now };
  const [ledger, books] = [new Ledger(store), new BudgetPolicies(store)];
  await books.change(getAccountPartition(THREAD), () => ({ ...EMPTY_POLICY, ...book }));
  const spending = new BudgetService({
    createId: randomUUID,
    ledger,
    policies: books,
    price,
    time,
    zone: 'UTC',
    deploymentPolicy: EMPTY_POLICY,
  });
  const spent = async (user: string) => {
    const [first] = await spending.listBudgets(THREAD, { person: user, channel: 'C1' }, 'person');
    return first?.counters;
  };
  return { ...harness, context: { ...context, budgets: spending }, spent };
}

describe('speech requests', () => {
  const DOLLAR_A_DAY = {
    rules: [{ scope: 'person' as const, period: 'day' as const, atto: ATTO_PER_DOLLAR }],
  };

  test('are charged to the requester; stored chunks are not charged again', async () => {
    const { context, delivery, spent, hooks } = await budgeted(DOLLAR_A_DAY);
    hooks.beforeTranscribe = (n) => {
      if (n === 2) throw new Error('killed');
    };
    const wanted = task({ kind: 'show' }, { by: userId('U2') });
    await expect(runTranscriptionTask(wanted, context, delivery)).rejects.toThrow('killed');
    delete hooks.beforeTranscribe;
    await runTranscriptionTask(wanted, context, { ...delivery, isRedelivery: true });
    // The interrupted request may have been answered.
    const models = { speech: { requests: 4 } };
    expect(await spent('U2')).toMatchObject({ atto: 4n * CENT, requests: 4, models });
    expect(await spent('U1')).toMatchObject({ atto: 0n });
  });

  test('whose worker died stay reserved, beside those of the redelivery', async () => {
    const { context, delivery, spent, transcriptions } = await budgeted(DOLLAR_A_DAY);
    const { budgets, recordings } = context;
    const [settleFixedPrice, saveChunk] = [
      budgets.settleFixedPrice.bind(budgets),
      recordings.saveChunk.bind(recordings),
    ];
    // The process dies after its requests: it neither books nor stores anything.
    budgets.settleFixedPrice = () => Promise.resolve();
    recordings.saveChunk = () => Promise.reject(new Error('died'));
    const wanted = task({ kind: 'show' });
    await expect(runTranscriptionTask(wanted, context, delivery)).rejects.toThrow('died');
    Object.assign(budgets, { settleFixedPrice });
    Object.assign(recordings, { saveChunk });
    const lost = transcriptions.length;
    await runTranscriptionTask(wanted, context, { ...delivery, isRedelivery: true });
    expect(lost).toBeGreaterThan(0);
    expect(await spent('U1')).toMatchObject({
      requests: transcriptions.length,
      atto: BigInt(transcriptions.length) * CENT,
      models: { speech: { requests: transcriptions.length - lost } },
    });
  });

  test('beyond the budget are not sent, with the reason on the card; rejected requests cost nothing', async () => {
    const rules = [{ scope: 'person' as const, period: 'day' as const, atto: 2n * CENT }];
    const { context, delivery, transcriptions, cards } = await budgeted({ rules });
    // A refusal ends the transcription: what has not been sent by then is not sent.
    const media: VoiceContext['media'] = {
      ...context.media,
      async *decode(...args) {
        for await (const event of context.media.decode(...args)) {
          while (event.type === 'chunk' && transcriptions.length < event.n) await setImmediate();
          yield event;
        }
      },
    };
    await runTranscriptionTask(task({ kind: 'show' }), { ...context, media }, delivery);
    expect(transcriptions).toHaveLength(2);
    expect(textOf(cards.at(-1)?.card)).toMatch(/Transcription failed.*budget for today is used up/u);

    const refusal = await budgeted(DOLLAR_A_DAY);
    const transcriptionClient = {
      transcribe: () => Promise.reject(new BadRequestError('no', { status: 400 })),
    };
    await runTranscriptionTask(task({ kind: 'show' }), { ...refusal.context, transcriptionClient }, delivery);
    expect(await refusal.spent('U1')).toMatchObject({ atto: 0n });
  });

  test('that wait for a permit when the transcription fails cost nothing', async () => {
    const { context, delivery, spent, hooks, time } = await budgeted(DOLLAR_A_DAY);
    let permitCount = 0;
    const speechPermits: VoiceContext['speechPermits'] = {
      ...context.speechPermits,
      take: async (...args) =>
        (permitCount += 1) === 1
          ? context.speechPermits.take(...args)
          : { kind: 'refused', retryAfterMs: 5_000 },
    };
    hooks.beforeTranscribe = async () => {
      while (time.pending < 2) await setImmediate();
      throw new Error('killed');
    };
    const transcription = runTranscriptionTask(
      task({ kind: 'show' }),
      { ...context, speechPermits },
      delivery,
    );
    await expect(transcription).rejects.toThrow('killed');
    // The request that was sent may have been billed.
    expect(await spent('U1')).toMatchObject({ atto: CENT, requests: 1 });
  });

  test('include the summary of each long recording of a message', async () => {
    const { context, delivery, spent, time } = await budgeted(DOLLAR_A_DAY, {
      F1: { chunks: 12 },
      F2: { chunks: 12 },
    });
    const chat: VoiceContext['chat'] = {
      ...streamsOnly,
      model: 'model-a',
      async *stream(_, { beforeAttempt }) {
        await beforeAttempt();
        yield { type: 'end', text: '**Summary**', finish: 'stop', model: 'model-a' };
      },
    };
    const recordings = [RECORDING, { ...RECORDING, id: 'F2' }];
    await runTranscriptionTask(
      task({ kind: 'show', summary: true }, { recordings }),
      { ...context, chat },
      delivery,
    );
    const models = { 'model-a': { requests: 2, atto: 2n * CENT } };
    expect(await spent('U1')).toMatchObject({ models });
    // Without a budget.
    const account = getAccountName('workspace', { person: 'U1', channel: 'C1' }, 'day', time.now(), 'UTC');
    expect(await context.budgets.readCounters(getAccountPartition(THREAD), account)).toMatchObject({
      models,
    });
  });
});
