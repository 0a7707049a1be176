import { describe, expect, test } from '@jest/globals';
import { type BudgetPolicy, ATTO_PER_DOLLAR, EMPTY_POLICY } from '../../shared/billing/budgets/index.ts';
import { AllModelsBusyError, RateLimitExceededError } from '../../shared/rate-limits/errors.ts';
import { answerCost } from '../../shared/chat/index.ts';
import { isFreeFailure } from '../../shared/billing/metered-stream.ts';
import { estimateMaxUsage, type Price } from '../../shared/billing/reservation.ts';
import { BudgetExceededError } from '../../shared/billing/budget-exceeded.ts';
import {
  AtCapacityError,
  AuthError,
  BadRequestError,
  calculateCost,
  ConnectionError,
  MalformedAnswerError,
  QuotaError,
  RateLimitedError,
  ServerError,
  StreamCutError,
  TimedOutError,
  TooLargeError,
  UnknownModelError,
  type UpstreamError,
} from '../../shared/upstream/index.ts';
import type { ChatOptions } from '../../shared/ports/index.ts';
import { createHistoryTools } from '../../shared/chat/tools/history-tools.ts';
import { endEvent, NO_HISTORY_SOURCES, type Script, TURN } from '../chat/completion-harness.ts';
import { createBudgets, DAILY } from './budget-harness.ts';

test('a request that was not sent or was rejected is free; without a response, the cost is unknown', () => {
  const free = [
    new RateLimitExceededError(1),
    new AllModelsBusyError(1),
    new ServerError('no', { status: 503 }),
    new ConnectionError('the server is down', { code: 'ECONNREFUSED' }),
    new ConnectionError('no such host', { code: 'ENOTFOUND' }),
  ];
  expect(free.map(isFreeFailure)).toEqual(free.map(() => true));
  const rejectedInResponse = [
    new BadRequestError('no'),
    new AuthError('no'),
    new QuotaError('no'),
    new UnknownModelError('no'),
    new RateLimitedError('no'),
    new AtCapacityError('no'),
  ];
  expect(rejectedInResponse.map(isFreeFailure)).toEqual(rejectedInResponse.map(() => true));
  const unknown = [
    new TimedOutError('late'),
    new ServerError('no'),
    new ConnectionError('reset', { code: 'ECONNRESET' }),
    new StreamCutError('no'),
    new MalformedAnswerError('no'),
    new TooLargeError('no'),
    new Error('no'),
    undefined,
  ];
  expect(unknown.map(isFreeFailure)).toEqual(unknown.map(() => false));
});

const failing = (error: Error): Script => [error];

describe('a request that fails before the first token', () => {
  test('costs nothing if the server rejected it', async () => {
    const { ask, readCounters } = await createBudgets();
    await ask([failing(new ServerError('no', { status: 500 }))]);
    expect(await readCounters()).toMatchObject({ atto: 0n, requests: 0 });
  });

  test('costs nothing if the server rejected it inside a response with status 200', async () => {
    const { ask, readCounters } = await createBudgets();
    await ask([failing(new BadRequestError('no', { code: 'context_length_exceeded' }))]);
    await ask([failing(new QuotaError('no'))]);
    expect(await readCounters()).toMatchObject({ atto: 0n, requests: 0 });
  });

  test('costs the reserved amount if it was sent and no response came: it may have been billed', async () => {
    const { ask, readCounters } = await createBudgets();
    await ask([failing(new TimedOutError('no answer', { code: 'first_byte' }))]);
    expect(await readCounters()).toMatchObject({ atto: ATTO_PER_DOLLAR, requests: 1 });
  });
});

/** As the client does: reports each failed attempt, and begins the next one. */
const repeat =
  (error: UpstreamError) =>
  async ({ onAttempt, beforeAttempt }: ChatOptions): Promise<void> => {
    onAttempt?.({ error });
    await beforeAttempt(2);
  };
const fail =
  (error: UpstreamError) =>
  ({ onAttempt }: ChatOptions): never => {
    onAttempt?.({ error });
    throw error;
  };

describe('a request that failed without a response and is repeated', () => {
  const lost = new TimedOutError('late', { code: 'first_byte' });
  const rejected = new ServerError('no', { status: 500 });

  test.each<[string, Script, number]>([
    ['a rejection of the second attempt', [repeat(lost), fail(rejected)], 1],
    ['a loss of both', [repeat(lost), fail(lost)], 1],
    ['a rejection before and after', [repeat(rejected), fail(rejected)], 0],
    ['a loss of the second attempt alone', [repeat(rejected), fail(lost)], 1],
  ])('costs what may have been billed after %s', async (_, script, requests) => {
    const { ask, readCounters } = await createBudgets();
    await ask([script]);
    expect(await readCounters()).toMatchObject({ atto: BigInt(requests) * ATTO_PER_DOLLAR, requests });
  });
});

test.each([
  ['a budget', DAILY],
  ['no budget', EMPTY_POLICY],
])('each request of a turn is booked with %s, also after a tool call', async (_, policy) => {
  const { ask, readCounters } = await createBudgets(policy);
  const toolCalls = [{ id: 'c1', name: 'search_thread', arguments: '{"query":"sky"}' }];
  const tools = createHistoryTools({ ...NO_HISTORY_SOURCES, recall: () => Promise.resolve([]) });
  const { requests } = await ask(
    [[endEvent('', { finish: 'tool_calls', toolCalls })], [endEvent('Light.')]],
    {
      tools,
    },
  );
  expect(requests).toBe(2);
  expect(await readCounters()).toMatchObject({ atto: 2n * ATTO_PER_DOLLAR, requests: 2 });
});

test.each([
  ['tool_calls', 2, 1],
  ['length', 1, 1],
])(
  'a response with a call that ended with %s: %i requests are booked, and %i question',
  async (finish, requests, questions) => {
    const { ask, readCounters } = await createBudgets();
    const toolCalls = [{ id: 'c1', name: 'search_thread', arguments: '{"query":"sky"}' }];
    const tools = createHistoryTools({ ...NO_HISTORY_SOURCES, recall: () => Promise.resolve([]) });
    const owner = { id: '1.1.1', thread: TURN.thread, person: TURN.asker, isQuestion: true };
    await ask([[endEvent('', { finish, toolCalls })], [endEvent('Light.')]], { tools, owner });
    expect(await readCounters()).toMatchObject({ requests, questions });
  },
);

test('a question that is asked again with less history, because it did not fit, counts once', async () => {
  const { ask, readCounters } = await createBudgets();
  const owner = { id: '1.1.1', thread: TURN.thread, person: TURN.asker, isQuestion: true };
  await ask([[endEvent('', { finish: 'context' })], [{ type: 'text', text: 'Light.' }, endEvent('Light.')]], {
    owner,
    shortenPrompt: () => [{ role: 'user', content: 'Why?' }],
  });
  expect(await readCounters()).toMatchObject({ requests: 2, questions: 1 });
});

test.each([
  ['reasoning', 0],
  ['text', 1],
] as const)('an answer that breaks off after %s counts as %i answered questions', async (type, questions) => {
  const { ask, readCounters } = await createBudgets();
  const owner = { id: '1.1.1', thread: TURN.thread, person: TURN.asker, isQuestion: true };
  await ask([[{ type, text: 'Light' }, new ServerError('cut')]], { owner });
  const { questions: counted, models } = await readCounters();
  expect(counted).toBe(questions);
  // Both are billed.
  expect(models['model-a']?.completion).toBeGreaterThan(0);
});

const cheapStandIn: Price = ([model]) =>
  Promise.resolve({ atto: model === 'model-b' ? 3n : ATTO_PER_DOLLAR, priced: true });

/** As the client does: reports that the model is at capacity, and asks the stand-in. */
async function turnToStandIn({ beforeAttempt, onAttempt, signal }: ChatOptions): Promise<void> {
  onAttempt?.({ model: 'model-a', error: new AtCapacityError('busy') });
  await beforeAttempt(2, signal, 'model-b');
}

test.each([
  ['breaks off', new ServerError('cut')],
  ['is stopped', undefined],
])('an answer of a stand-in model that %s is booked on the stand-in, at its price', async (_, end) => {
  const { ask, readCounters } = await createBudgets(DAILY, { price: cheapStandIn });
  const stop = new AbortController();
  const last: Script = end ? [end] : [() => stop.abort(), endEvent('Light.')];
  await ask([[turnToStandIn, { type: 'text', text: 'Light' }, ...last]], { stop: stop.signal });
  const { atto, models } = await readCounters();
  expect([atto, Object.keys(models)]).toEqual([3n, ['model-b']]);
});

test('an answer costs as much by what is stored with it as what was booked: each request, and the pictures in each', async () => {
  const pricing = { request: '0.5', image: '0.25', prompt: '0', completion: '0' };
  const byList: Price = (_, usage, images, requests) =>
    Promise.resolve({ atto: calculateCost(usage, pricing, images, requests).atto, priced: true });
  const { ask, readCounters } = await createBudgets(DAILY, { price: byList });
  const toolCalls = [{ id: 'c1', name: 'search_thread', arguments: '{"query":"sky"}' }];
  const tools = createHistoryTools({ ...NO_HISTORY_SOURCES, recall: () => Promise.resolve([]) });
  const { outcome } = await ask(
    [[endEvent('', { finish: 'tool_calls', toolCalls })], [endEvent('Light.')]],
    { tools },
    [{ role: 'user', content: [{ type: 'image', url: 'data:,' }] }],
  );
  // Two requests, each with the picture.
  expect((await readCounters()).atto).toBe((3n * ATTO_PER_DOLLAR) / 2n);
  expect(await answerCost(outcome, 'en', { price: byList })).toBe('≈ $1.50');
});

test('without reported usage, the calls of tools are counted, and the accounts have the tokens of the footer', async () => {
  const { ask, readCounters } = await createBudgets();
  const toolCalls = [{ id: 'c1', name: 'search_thread', arguments: `{"query":"${'sky '.repeat(200)}"}` }];
  const tools = createHistoryTools({ ...NO_HISTORY_SOURCES, recall: () => Promise.resolve([]) });
  const { outcome } = await ask(
    [
      [endEvent('', { finish: 'tool_calls', toolCalls })],
      [{ type: 'text', text: 'Light.' }, endEvent('Light.')],
    ],
    { tools },
  );
  const { models } = await readCounters();
  const { prompt, completion } = models['model-a'] ?? {};
  expect(completion).toBeGreaterThan(200);
  expect(outcome.kind === 'answered' && outcome.usage).toMatchObject({
    promptTokens: prompt,
    completionTokens: completion,
  });
});

test('a booking whose response was lost is repeated and counts once', async () => {
  let lost = 0;
  const { ask, readCounters } = await createBudgets(DAILY, {
    fails: (write) => write === 'settle' && (lost += 1) === 1,
  });
  const { outcome } = await ask([[endEvent('Light.')]]);
  expect(outcome.text).toBe('Light.');
  expect(lost).toBe(2);
  expect(await readCounters()).toMatchObject({ atto: ATTO_PER_DOLLAR, requests: 1 });
});

test('a reservation whose response was lost is released, since no request is sent', async () => {
  const { budgets, readCounters } = await createBudgets(DAILY, { fails: (write) => write === 'reserve' });
  const request = { thread: TURN.thread, person: TURN.asker, id: 'm1', atto: ATTO_PER_DOLLAR, maxMs: 60_000 };
  await expect(budgets.reserveFixedPrice(request)).rejects.toThrow('the table is unavailable');
  expect(await readCounters()).toMatchObject({ atto: 0n, requests: 0 });
});

const dailyBudgetOfZero = (scope: 'deployment' | 'workspace') =>
  ({ scope, period: 'day', atto: 0n }) as const;

test('a deployment budget is full again at midnight of the deployment, a workspace budget at midnight of the workspace', async () => {
  const request = { thread: TURN.thread, person: TURN.asker, id: 'm1', atto: ATTO_PER_DOLLAR, maxMs: 60_000 };
  const exceed = async (
    policy: Partial<BudgetPolicy>,
    deployment: Partial<BudgetPolicy>,
  ): Promise<unknown> => {
    const { budgets } = await createBudgets(
      { ...EMPTY_POLICY, zone: 'Asia/Tokyo', ...policy },
      { zone: 'America/New_York', deployment: { ...EMPTY_POLICY, ...deployment } },
    );
    return await budgets.reserveFixedPrice(request).catch((error: unknown) => error);
  };
  const ofDeployment = await exceed({}, { rules: [dailyBudgetOfZero('deployment')] });
  const ofWorkspace = await exceed({ rules: [dailyBudgetOfZero('workspace')] }, {});
  expect(ofDeployment).toMatchObject({ zone: 'America/New_York', until: Date.parse('2026-01-01T05:00:00Z') });
  expect(ofWorkspace).toMatchObject({ zone: 'Asia/Tokyo', until: Date.parse('2026-01-01T15:00:00Z') });
  expect(ofDeployment).toBeInstanceOf(BudgetExceededError);
});

test('a reservation includes the longest possible answer', () => {
  const { completionTokens } = estimateMaxUsage({
    prompt: [{ role: 'user', content: 'Why?' }],
    maxTokens: 4_096,
  });
  expect(completionTokens).toBe(4_096);
});

test('several versions reserve the longest answer once for each', () => {
  const request = { prompt: [{ role: 'user', content: 'Why?' }], maxTokens: 100 } as const;
  const [one, three] = [estimateMaxUsage(request), estimateMaxUsage({ ...request, versions: 3 })];
  expect(one.completionTokens).toBe(100);
  expect(three).toEqual({ ...one, completionTokens: 300 });
});
