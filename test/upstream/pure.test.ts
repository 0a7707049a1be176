import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { CompletionBuilder } from '../../shared/upstream/chat/completion-builder.ts';
import { parseLogprobs } from '../../shared/upstream/chat/logprobs.ts';
import { parseUsage } from '../../shared/upstream/chat/usage.ts';
import { parseErrorBody } from '../../shared/upstream/http/error-body.ts';
import { parseWait, parseRateLimit, parseRetryAfter } from '../../shared/upstream/http/rate-limit-headers.ts';
import { decideRetry } from '../../shared/upstream/http/retry.ts';
import { AtCapacityError, ServerError } from '../../shared/upstream/index.ts';
import { createIdempotencyKey } from '../../shared/upstream/vision/idempotency-key.ts';
import { toJobState } from '../../shared/upstream/vision/job-state.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('a wait in ms is parsed from', () => {
  test.each([
    ['0', 0],
    ['30', 30_000],
    ['0.5', 500],
    ['500ms', 500],
    ['15s', 15_000],
    ['6m0s', 360_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1_500],
    [String(NOW / 1000 + 9), 9_000],
    [`${NOW / 1000 + 9}.25`, 9_250],
    [String(NOW + 1_234), 1_234],
    ['Thu, 01 Jan 2026 00:00:07 GMT', 7_000],
    ['2026-01-01T00:00:07Z', 7_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['1e3', undefined],
    ['', undefined],
    [undefined, undefined],
    ['50000000', undefined],
  ])('%s', (value, expected) => {
    expect(parseWait(value, NOW)).toBe(expected);
  });

  test('the longer of retry-after and retry-after-ms', () => {
    expect(parseRetryAfter({ 'retry-after-ms': '250', 'retry-after': '9' }, NOW)).toBe(9_000);
    expect(parseRetryAfter({ 'retry-after-ms': '2500', 'retry-after': '2' }, NOW)).toBe(2_500);
    expect(parseRetryAfter({ 'retry-after-ms': '250' }, NOW)).toBe(250);
    expect(parseRetryAfter({ 'retry-after-ms': 'soon', 'retry-after': '2' }, NOW)).toBe(2_000);
    expect(parseRetryAfter({ 'retry-after-ms': 'soon' }, NOW)).toBeUndefined();
    expect(parseRetryAfter({ 'retry-after': ['3', '4'] }, NOW)).toBe(3_000);
  });
});

test('both forms of rate limit headers are parsed; a retry-after of 0 is not an error', () => {
  const chat = {
    'x-ratelimit-limit-requests': '120',
    'x-ratelimit-remaining-requests': '30',
    'x-ratelimit-reset-requests': '1s',
  };
  expect(parseRateLimit(200, chat, NOW)).toEqual({ status: 200, limit: 120, remaining: 30, resetMs: 1_000 });
  const vision = {
    'x-ratelimit-requests-limit': '50',
    'x-ratelimit-requests-remaining': '49',
    'x-ratelimit-requests-reset': '86400',
    'retry-after': '0',
  };
  expect(parseRateLimit(200, vision, NOW)).toEqual({
    status: 200,
    limit: 50,
    remaining: 49,
    resetMs: 86_400_000,
    retryAfterMs: 0,
  });
  expect(parseRateLimit(200, { 'retry-after': '0' }, NOW)).toBeUndefined();
  expect(parseRateLimit(429, {}, NOW)).toMatchObject({ status: 429 });
});

describe('an error body', () => {
  test.each([
    ['{"error":{"message":"m","type":"t","code":"c","param":"p"}}', { message: 'm', code: 'c', param: 'p' }],
    ['{"error":{"message":"m","code":null,"param":null},"id":"e-1"}', { message: 'm', id: 'e-1' }],
    ['{"error":{"code":"rate_limit_exceeded","message":"m"}}', { message: 'm', code: 'rate_limit_exceeded' }],
    ['{"error":"m"}', { message: 'm' }],
    ['{"detail":"m"}', { message: 'm' }],
    [
      '{"detail":[{"loc":["body","messages",0,"role"],"msg":"bad","type":"enum"},{"msg":"worse"}]}',
      { message: 'messages.0.role: bad; worse', code: 'enum', param: 'messages.0.role' },
    ],
    ['{"object":"error","message":"m","code":404}', { message: 'm', code: '404' }],
    ['<html><style>x{}</style><h1>Bad  gateway</h1></html>', { message: 'Bad gateway', isPage: true }],
    ['', { isPage: false }],
    ['[]', { message: '[]', isPage: false }],
  ])('%s', (body, expected) => {
    expect(parseErrorBody(body)).toEqual({ isJson: body.startsWith('{'), ...expected });
  });
});

describe('the retry policy', () => {
  const now = {
    retries: 0,
    keyRefreshed: false,
    hasMoreModels: false,
    random: 0.5,
    now: NOW,
    deadline: undefined,
    maxWaitMs: undefined,
    repeatable: true,
  };
  test('doubles the jitter and stops after two retries', () => {
    const error = new ServerError('x', { status: 500 });
    expect(decideRetry(error, now)).toEqual({ kind: 'wait', ms: 250 });
    expect(decideRetry(error, { ...now, retries: 1 })).toEqual({ kind: 'wait', ms: 500 });
    expect(decideRetry(error, { ...now, retries: 2 })).toEqual({ kind: 'give-up' });
  });

  test('never waits past the deadline or longer than maxWaitMs', () => {
    const error = new AtCapacityError('x', { retryAfterMs: 5_000 });
    expect(decideRetry(error, { ...now, deadline: NOW + 5_250 })).toEqual({ kind: 'give-up' });
    expect(decideRetry(error, { ...now, deadline: NOW + 5_251 })).toEqual({ kind: 'wait', ms: 5_250 });
    expect(decideRetry(error, { ...now, maxWaitMs: 4_999 })).toEqual({ kind: 'give-up' });
    expect(decideRetry(new AtCapacityError('x', { retryAfterMs: 90_000 }), now)).toEqual({ kind: 'give-up' });
    expect(decideRetry(error, { ...now, hasMoreModels: true })).toEqual({ kind: 'next-model' });
  });
});

test('usage is parsed in both API shapes and both places', () => {
  expect(
    parseUsage({
      prompt_tokens: 9,
      completion_tokens: 5,
      completion_tokens_details: { reasoning_tokens: 3 },
      prompt_tokens_details: { cached_tokens: 20 },
    }),
  ).toEqual({
    promptTokens: 9,
    completionTokens: 5,
    reasoningTokens: 3,
    cachedTokens: 9,
  });
  expect(
    parseUsage({ prompt_tokens: 9, completion_tokens: 5, reasoning_tokens: 2, prompt_tokens_details: null }),
  ).toMatchObject({ reasoningTokens: 2, cachedTokens: 0 });
  expect(parseUsage({ input_tokens: 4, output_tokens: 6 })).toMatchObject({
    promptTokens: 4,
    completionTokens: 6,
  });
  // As gateways in front of Anthropic count tokens that are read from the cache or written into it: in the total only.
  const cache = { cache_read_input_tokens: 100, cache_creation_input_tokens: 20 };
  expect(parseUsage({ prompt_tokens: 9, completion_tokens: 5, total_tokens: 134, ...cache })).toEqual({
    promptTokens: 129,
    completionTokens: 5,
    reasoningTokens: 0,
    cachedTokens: 100,
  });
  // They are in the prompt already.
  expect(parseUsage({ prompt_tokens: 129, completion_tokens: 5, total_tokens: 134, ...cache })).toMatchObject(
    { promptTokens: 129, completionTokens: 5 },
  );
  expect(parseUsage(null)).toBeUndefined();
  expect(parseUsage({ prompt_tokens: -1 })).toBeUndefined();
  // As gateways send it that do not count.
  expect(parseUsage({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })).toBeUndefined();
  expect(parseUsage({ prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 })).toMatchObject({
    promptTokens: 9,
  });
});

test('log probabilities are parsed with their alternatives, and malformed entries are skipped', () => {
  const entry = {
    token: 'Hi',
    logprob: -0.1,
    top_logprobs: [{ token: 'Hi', logprob: -0.1 }, { token: 'Yo' }],
  };
  expect(parseLogprobs({ content: [entry, { token: 'x' }, null] })).toEqual([
    { token: 'Hi', logprob: -0.1, top: [{ token: 'Hi', logprob: -0.1 }] },
  ]);
  expect(parseLogprobs(null)).toEqual([]);
});

test('a chunk read by its template means the same as the parsed chunk, for any text and chunk', () => {
  const facts = { key: '', requestId: undefined, model: 'm', omitted: [] };
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '\\"', 'ParleyProbe', '"}}]}', 'stop', '\u2028', '"content":"x"'),
  );
  const chunk = fc.record({
    id: text,
    content: text,
    extra: text,
    before: fc.boolean(),
    reasoning: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(chunk, { minLength: 1, maxLength: 8 }), fc.boolean(), (chunks, same) => {
      const draft = new CompletionBuilder(facts);
      let expected = '';
      for (const { id, content, extra, before, reasoning } of chunks) {
        const shape = same ? chunks[0] : { id, extra, before, reasoning };
        const delta = { [shape?.reasoning === true ? 'reasoning_content' : 'content']: content };
        const choices = [{ index: 0, delta, finish_reason: null }];
        const rest = { id: shape?.id, extra: shape?.extra };
        draft.addEvent(
          JSON.stringify(shape?.before === true ? { choices, ...rest } : { ...rest, choices }),
          undefined,
        );
        if (shape?.reasoning !== true) expected += content;
      }
      draft.endText(false);
      expect(draft.text).toBe(expected);
    }),
    { numRuns: 300 },
  );
});

const chunkWith = (content: string, extra: string): string =>
  JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }], extra });

test('a template is not learned from another string with the same content', () => {
  const draft = new CompletionBuilder({ key: '', requestId: undefined, model: 'm', omitted: [] });
  draft.addEvent(chunkWith('same', 'same'), undefined);
  draft.addEvent(chunkWith('same', 'other'), undefined);
  expect(draft.text).toBe('samesame');
});

test('a status word is converted into a state', () => {
  expect(
    ['IN_QUEUE', 'in_progress', 'Completed', 'OK', 'FAILED', 'Cancelled', 'NEW', undefined].map((status) =>
      toJobState(status, false),
    ),
  ).toEqual(['queued', 'running', 'done', 'done', 'failed', 'cancelled', 'unknown', 'unknown']);
  expect(toJobState('COMPLETED', true)).toBe('failed');
  expect(
    ['SUCCESS', 'succeed', 'complete', 'Finished', 'done', 'in progress', 'failure', 'timed-out'].map(
      (status) => toJobState(status, false),
    ),
  ).toEqual(['done', 'done', 'done', 'done', 'done', 'running', 'failed', 'failed']);
});

test('an idempotency key is equal for equal parts only', () => {
  expect(createIdempotencyKey('T1', 'C1', '1.2')).toBe(createIdempotencyKey('T1', 'C1', '1.2'));
  expect(createIdempotencyKey('T1', 'C1', '1.2')).not.toBe(createIdempotencyKey('T1', 'C11', '.2'));
});
