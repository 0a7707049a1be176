import { describe, expect, test } from '@jest/globals';
import { createHttpError, createStreamError } from '../../shared/upstream/http/create-error.ts';
import { isObject, parseJson } from '../../shared/upstream/http/json.ts';
import { reply } from './raw-server.ts';
import { QUESTION, readResponse, withServer } from './raw-server-harness.ts';

// What servers say in words only. Reported by their users; the names and numbers are ours.

const read = (status: number, error: object | string, headers: Record<string, string> = {}) => {
  const body = typeof error === 'string' ? error : JSON.stringify({ error });
  return createHttpError({ status, headers, body, key: 'sk-1', now: 0, isChat: true });
};
const readInStream = (error: object) => createStreamError({ error }, 'sk-1', 'r-7');

test.each([
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 140211 tokens."],
  ['Moonshot', 'Invalid request: Your request exceeded model token limit: 262144'],
  ['DashScope', 'InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]'],
  ['Zhipu', 'Prompt exceeds max length'],
])('%s says that a prompt is too long', (_, message) => {
  const expected = { kind: 'bad-request', code: 'context_length_exceeded' };
  expect(read(400, { message, code: 'invalid_parameter_error' })).toMatchObject(expected);
  expect(readInStream({ message, code: 400 })).toMatchObject(expected);
});

test.each([
  'max_tokens exceeds the limit of this model.',
  'Range of temperature should be [0, 2]',
  'The token limit of your plan is reached.',
])('a prompt is not too long: %s', (message) =>
  expect(read(400, { message, code: null }).code).toBeUndefined(),
);

describe('a key that Gemini rejects with a 400', () => {
  const INVALID = {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'API key not valid. Please pass a valid API key.',
  };
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];

  test.each([
    ['by its words', [{ error: INVALID }]],
    ['by its reason', { error: { code: 400, message: 'No.', details } }],
    ['as expired', { error: { code: 400, message: 'API key expired. Please renew the API key.' } }],
  ])('is read again, and not sent again: %s', async (_, body) => {
    let refreshed = 0;
    const apiKey = async (ask?: { readonly refresh: boolean }): Promise<string> => {
      if (ask?.refresh === true) refreshed += 1;
      return 'key-1';
    };
    await withServer(
      (socket) => reply(socket, 400, body),
      async ({ upstream, server }) => {
        for (let time = 0; time < 2; time += 1) {
          const { error } = await readResponse(upstream.chat.stream(QUESTION));
          expect(error).toMatchObject({ kind: 'auth', status: 401 });
        }
        expect([server.requests.length, refreshed]).toEqual([1, 2]);
      },
      { apiKey },
    );
  });

  test('in words that are about something else is a bad request', () => {
    expect(read(400, { message: 'The API key of this tool is not valid.' }).kind).toBe('bad-request');
  });
});

test.each([
  ['Mistral', 400, { message: 'Invalid model: foo', type: 'invalid_model', param: null, code: '1500' }],
  ['DeepSeek', 400, { message: 'Model Not Exist', type: 'invalid_request_error', param: null }],
  ['OpenRouter', 400, { message: 'foo is not a valid model ID', code: 400 }],
  [
    'LiteLLM',
    400,
    {
      message: '/chat/completions: Invalid model name passed in model=foo. Call `/v1/models` to view.',
      param: 'model',
    },
  ],
  ['A server', 400, { message: 'The model `foo` does not exist.', param: 'model' }],
  ['A server', 400, { message: 'Unknown', param: 'model' }],
  ['A server', 400, { message: 'No access to it.', code: 'model_not_found' }],
  [
    'Azure',
    404,
    { message: 'The API deployment for this resource does not exist.', code: 'DeploymentNotFound' },
  ],
])('%s says that it does not know the model', (_, status, error) => {
  expect(read(status, error)).toMatchObject({ kind: 'unknown-model', status });
});

test('a model that does not support a part of the request is known', () => {
  const error = { message: "The model 'm' does not support image input.", param: 'model' };
  expect(read(400, error)).toMatchObject({ kind: 'bad-request', param: 'model' });
});

describe('a prompt above the limit of tokens per minute is too long, and no limit that passes', () => {
  const OPENAI =
    'Request too large for m in organization o on tokens per min (TPM): Limit 30000, Requested 36278. The input or output tokens must be reduced in order to run successfully.';
  const GROQ_LARGE =
    'Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 7577, please reduce your message size and try again.';
  test.each([
    ['OpenAI', 429, OPENAI, { 'x-ratelimit-remaining-requests': '0' }],
    ['Groq', 413, GROQ_LARGE, {}],
  ])('%s', async (_, status, message, headers) => {
    const error = { message, type: 'tokens', param: null, code: 'rate_limit_exceeded' };
    const expected = { kind: 'bad-request', code: 'context_length_exceeded' };
    expect(readInStream({ ...error, code: status })).toMatchObject(expected);
    const limits: unknown[] = [];
    await withServer(
      (socket) => reply(socket, status, { error }, headers),
      async ({ upstream, server }) => {
        const options = { onRateLimit: (info: unknown) => limits.push(info) };
        const { error: failure } = await readResponse(upstream.chat.stream(QUESTION, options));
        expect(failure).toMatchObject({ ...expected, status });
        expect(server.requests).toHaveLength(1);
      },
    );
    expect(limits).toEqual([]);
  });

  test('but a large body is not', () => {
    expect(read(413, { message: 'Request too large' }).kind).toBe('too-large');
    expect(read(429, { message: GROQ }).kind).toBe('rate-limited');
  });
});

const GROQ =
  'Rate limit reached for model `m` on tokens per minute (TPM): Limit 6000, Used 5900, Requested 577. Please try again in 4.77s. ' +
  'Need more tokens? Upgrade at https://console.example.com/settings/billing';

describe('a limit that passes is no missing credit', () => {
  test.each([
    [GROQ, 4_770],
    ['Quota exceeded, see billing. Please try again in 1m2.5s.', 62_500],
    ['Quota exceeded, see billing. Please try again in 20ms.', 20],
    ['You exceeded your current quota. Please retry in 38.2s.', 38_200],
    ['Quota exceeded. Please retry after 12 seconds.', 12_000],
    ['Your quota per minute is used. See billing.', undefined],
  ])('%s', (message, retryAfterMs) => {
    const expected = { kind: 'rate-limited', retryAfterMs };
    expect(read(429, { message, code: null })).toMatchObject(expected);
    expect(readInStream({ message, code: 429 })).toMatchObject(expected);
  });

  test('the wait of a header or of a field comes before that of the words', () => {
    const message = 'Please try again in 4s.';
    expect(read(429, { message }, { 'retry-after': '7' }).retryAfterMs).toBe(7_000);
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '9s' }];
    expect(readInStream({ message, code: 429, details }).retryAfterMs).toBe(9_000);
  });

  test('words about a time are no wait after other failures', () => {
    expect(read(500, { message: 'Failed. Try again in 30s.' }).retryAfterMs).toBeUndefined();
  });
});

describe('a 403 is', () => {
  test.each([
    [
      'a question that the filter of OpenRouter rejects',
      {
        code: 403,
        message: 'm requires moderation. Your input was flagged for "x". No credits were charged.',
      },
    ],
    ['one that a guardrail rejects', { code: 403, message: 'Request blocked: prompt injection detected' }],
    ['one with a code for it', { code: 'content_policy_violation', message: 'No.' }],
  ])('%s', (_, error) => {
    const expected = { kind: 'bad-request', code: 'content_filter' };
    expect(read(403, error)).toMatchObject({ ...expected, status: 403 });
    expect(readInStream({ ...error, code: 403, message: `Flagged: ${error.message}` })).toMatchObject(
      expected,
    );
  });

  test.each([
    ['Moonshot', 'Your account a is not active, exceeded current quota, please check your plan', undefined],
    ['DashScope', 'The free tier of the model has been exhausted.', 'AllocationQuota.FreeTierOnly'],
    ['xAI', 'Your newly created team doesn’t have any credits yet.', 'permission-denied'],
  ])('missing credit at %s', (_, message, code) => {
    expect(read(403, { message, code })).toMatchObject({ kind: 'quota', status: 403, code });
  });

  test.each([
    ['a rejected key', { message: 'These credentials have no access to the model.' }],
    ['a page of a firewall', '<html>Blocked by moderation. Check your payment.</html>'],
  ])('%s', (_, error) => {
    expect(read(403, error)).toMatchObject({ kind: 'auth', status: 403 });
  });
});

test('missing balance is missing credit, whatever the status', () => {
  const message = 'Your account is suspended due to insufficient balance, please recharge it';
  expect([402, 403, 429].map((status) => read(status, { message }).kind)).toEqual([
    'quota',
    'quota',
    'quota',
  ]);
});

test('an error without a code in a stream is a failure of the server', () => {
  const event = parseJson('{"error":{"message":"Please try again in 5s."}}');
  expect(isObject(event) && createStreamError(event, '', undefined)).toMatchObject({
    kind: 'server',
    retryAfterMs: undefined,
  });
});
