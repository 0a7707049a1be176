import { noPhases, type NotePhases } from '../../../shared/aws/xray-segments.ts';
import { expect, test } from '@jest/globals';
import type { TurnOutcome } from '../../../shared/domain/index.ts';
import { runCompletion } from '../../../shared/chat/model/run-completion.ts';
import { recordAnswerMetrics } from '../../../shared/chat/display/answer-metrics.ts';
import type { WorkerContext } from '../../../shared/worker/index.ts';
import type { Metrics } from '../../../shared/runtime/metrics.ts';
import { RateLimitedError, ServerError } from '../../../shared/upstream/index.ts';
import { endEvent, completionHarness, TURN } from '../completion-harness.ts';
import { unknownPrice } from '../../../shared/billing/reservation.ts';

type Measured = Parameters<Metrics>;

function measuring(price: WorkerContext['price'] = unknownPrice) {
  const measured: Measured[] = [];
  const metrics: Metrics = (...one) => measured.push(one);
  const time = { now: () => 1_700_000_005_500, sleep: () => Promise.resolve() };
  return { measured, metrics, context: { metrics, price, time, notePhases: noPhases } };
}

const USAGE = { promptTokens: 100, completionTokens: 20, cachedTokens: 0, reasoningTokens: 0 };
const ANSWERED: TurnOutcome = {
  kind: 'answered',
  text: 'secret words',
  finish: 'stop',
  model: 'model-a',
  usage: USAGE,
  requestId: 'req-1',
  timings: [1_700_000_000_000, 40, 100, 900, 5_000, 2],
};

test('an answer records times since the question, tokens and cost, and neither words nor people', async () => {
  const { measured, context } = measuring(async () => ({ atto: 2_500_000_000_000_000n, priced: true }));
  await recordAnswerMetrics(TURN, ANSWERED, context);
  expect(measured).toEqual([
    [
      'answer.ended',
      {
        AnswerTime: 5_000,
        QueueWait: 40,
        RequestWait: 60,
        FirstWord: 900,
        PromptTokens: 100,
        CompletionTokens: 20,
        Dollars: 0.0025,
      },
      {
        platform: 'slack',
        kind: 'answered',
        finish: 'stop',
        model: 'model-a',
        requests: 2,
        requestId: 'req-1',
        reason: undefined,
      },
    ],
  ]);
  expect(JSON.stringify(measured)).not.toMatch(/secret words|U1|T1|C1/u);
});

test('a failed answer records no first word, and an unknown price no cost', async () => {
  const { measured, context } = measuring(async () => ({ atto: 0n, priced: false }));
  await recordAnswerMetrics(TURN, ANSWERED, context);
  await recordAnswerMetrics(
    TURN,
    { kind: 'failed', reason: 'quota', text: '', timings: [0, 40, 50, 60, 60, 0] },
    context,
  );
  await recordAnswerMetrics(TURN, ANSWERED, {
    ...context,
    price: () => Promise.reject(new Error('no list')),
  });
  expect(measured.map(([, values]) => values.Dollars)).toEqual([undefined, undefined, undefined]);
  expect(measured[1]).toMatchObject([
    'answer.ended',
    { AnswerTime: 60 },
    { kind: 'failed', reason: 'quota' },
  ]);
  expect(measured[1]?.[1]).not.toHaveProperty('FirstWord');
  expect(measured[1]?.[1]).not.toHaveProperty('RequestWait');
});

const at = (ms: number): number => 1_700_000_000_000 + ms;

test('phases cover an answer up to the last update of its message', async () => {
  const noted: Parameters<NotePhases>[] = [];
  const { context } = measuring();
  const notePhases: NotePhases = (...one) => noted.push(one);
  await recordAnswerMetrics(TURN, ANSWERED, { ...context, notePhases });
  expect(noted).toEqual([
    [
      [
        { name: 'wait for the models', fromMs: at(40), toMs: at(100) },
        { name: 'first word', fromMs: at(100), toMs: at(900) },
        { name: 'answer', fromMs: at(900), toMs: at(5_000) },
        { name: 'last update', fromMs: at(5_000), toMs: at(5_500) },
      ],
      { platform: 'slack', ending: 'answered' },
    ],
  ]);
});

test('requests refused by a rate limit are counted apart from other failures', async () => {
  const { measured, metrics } = measuring();
  const facts = { requestId: undefined, status: 429 };
  const failing = completionHarness([
    [
      (options) => {
        options.onAttempt?.({ model: 'model-a', error: new RateLimitedError('full', facts) });
        options.onAttempt?.({
          model: 'model-a',
          error: new ServerError('broken', { ...facts, status: 500 }),
        });
        options.onAttempt?.({ model: 'model-a' });
      },
      endEvent('Because.'),
    ],
  ]);
  const work = { ...failing.work, context: { ...failing.work.context, metrics } };
  await runCompletion([{ role: 'user', content: 'Why?' }], work);
  expect(measured).toEqual([
    ['upstream.limited', { RateLimited: 1 }, { source: 'upstream' }],
    ['upstream.failed', { FailedRequests: 1 }, { reason: 'server' }],
  ]);
});
