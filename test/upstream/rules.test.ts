import { describe, expect, test } from '@jest/globals';
import { buildLegacyBody } from '../../shared/upstream/chat/legacy-request.ts';
import { buildBody } from '../../shared/upstream/chat/request.ts';
import { ConnectionError } from '../../shared/upstream/index.ts';
import { redact } from '../../shared/upstream/http/create-error.ts';
import { getEndpointUrl } from '../../shared/upstream/http/endpoint-url.ts';
import { decideRetry } from '../../shared/upstream/http/retry.ts';
import { parseRateLimit } from '../../shared/upstream/http/rate-limit-headers.ts';
import { estimateRequest, estimateText } from '../../shared/upstream/models/estimate.ts';
import { calculateCost } from '../../shared/upstream/models/pricing.ts';
import { getWindow } from '../../shared/upstream/vision/request-windows.ts';
import { fitRequest } from '../../shared/upstream/models/fit-request.ts';
import { parseTranscript } from '../../shared/upstream/speech/transcript.ts';
import { writeWav } from '../../shared/upstream/speech/wav.ts';
import { parseJobHandle, requireTrustedUrl } from '../../shared/upstream/vision/job-handle.ts';
import { answerOf, reply, stream, streamHead } from './raw-server.ts';
import { QUESTION, asUpstreamError, readResponse, withServer } from './raw-server-harness.ts';

test('tool arguments that are not a JSON object are sent unchanged in the legacy shape', () => {
  const call = { id: 'c1', name: 'search', arguments: '{"query": "sky' };
  const messages = [
    { role: 'user', content: 'Why?' },
    { role: 'assistant', content: '', toolCalls: [call] },
    { role: 'tool', content: 'No.', toolCallId: 'c1' },
  ] as const;
  const { body } = buildLegacyBody({ model: 'm', messages, maxTokens: 1 }, false);
  expect(JSON.stringify(body)).toContain(JSON.stringify({ arguments: call.arguments }));
});

test('a message that only calls tools is sent without text: some servers reject empty text', () => {
  const call = { id: 'c1', name: 'search', arguments: '{}' };
  const messages = [
    { role: 'assistant', content: '', toolCalls: [call] },
    { role: 'tool', content: 'No.', toolCallId: 'c1' },
    { role: 'assistant', content: '' },
  ] as const;
  for (const build of [buildBody, buildLegacyBody]) {
    const { body } = build({ model: 'm', messages, maxTokens: 1 }, false);
    expect(body['messages']).toMatchObject([{ content: null }, { content: 'No.' }, { content: '' }]);
  }
});

test('a stream that ends without an event is retried', async () => {
  await withServer(
    (socket, _, count) => {
      if (count > 1) return stream(socket, answerOf('At last'));
      streamHead(socket);
      return void socket.end('0\r\n\r\n');
    },
    async ({ upstream, server }) => {
      expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe('At last');
      expect(server.requests).toHaveLength(2);
    },
  );
});

test.each([
  ['', '/v1/chat/completions', '/v1/models'],
  ['/', '/v1/chat/completions', '/v1/models'],
  ['/v1', '/v1/chat/completions', '/v1/models'],
  ['/v1/', '/v1/chat/completions', '/v1/models'],
  ['/llm', '/llm/v1/chat/completions', '/llm/v1/models'],
  ['/v1beta/openai/', '/v1beta/openai/chat/completions', '/v1beta/openai/models'],
  ['/v1/openai', '/v1/openai/chat/completions', '/v1/openai/models'],
  ['/api/paas/v4', '/api/paas/v4/chat/completions', '/api/paas/v4/models'],
  ['/v2/v1', '/v2/v1/chat/completions', '/v2/v1/models'],
  ['/dev', '/dev/v1/chat/completions', '/dev/v1/models'],
  ['/inference/chat/completions', '/inference/chat/completions', '/inference/models'],
  ['/v1/a/g/compat/chat/completions/', '/v1/a/g/compat/chat/completions', '/v1/a/g/compat/models'],
  ['/v1/chat/completions', '/v1/chat/completions', '/v1/models'],
])('a base URL may end in %j', async (path, chat, models) => {
  await withServer(
    (socket, request) =>
      request.method === 'GET' ? reply(socket, 200, { data: [] }) : stream(socket, answerOf('Yes')),
    async ({ server }) => {
      await withServer(
        () => undefined,
        async ({ upstream }) => {
          expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe('Yes');
          await upstream.models.list();
        },
        { baseUrl: `${server.url}${path}` },
      );
      expect(server.requests.map((request) => request.path)).toEqual([chat, models]);
    },
  );
});

test('/v1 at the end of a base URL does not precede another version', () => {
  const url = getEndpointUrl('https://vision.example.com/v1/', '/v2/inference/models');
  expect(url.href).toBe('https://vision.example.com/v2/inference/models');
});

test('server messages are stored without the key and with at most 500 characters', () => {
  expect(redact(`no sk-1 here${'x'.repeat(600)}`, 'sk-1')).toMatch(/^no \[key\] herex{484,490}…$/u);
  expect(redact('x'.repeat(500), '')).toBe('x'.repeat(500));
});

test('an untrusted certificate is not retried; a reset connection is', () => {
  const situation = {
    retries: 0,
    random: 0,
    now: 0,
    keyRefreshed: false,
    hasMoreModels: false,
    repeatable: true,
  };
  const after = (code: string) =>
    decideRetry(new ConnectionError('no', { code }), {
      ...situation,
      deadline: undefined,
      callerWaits: false,
      maxWaitMs: 60_000,
    }).kind;
  expect([after('certificate'), after('reset')]).toEqual(['give-up', 'wait']);
});

test('a response that is too large is not read to its end', async () => {
  await withServer(
    (socket) => reply(socket, 200, { data: 'x'.repeat(70 * 1024 * 1024) }),
    async ({ upstream }) => {
      const error = await upstream.models.list().catch((reason: unknown) => reason);
      expect(asUpstreamError(error)).toMatchObject({ kind: 'too-large' });
    },
  );
});

test('a request without tools has no tool_choice', () => {
  const tools = [{ name: 'search' }];
  const model = { id: 'm', ready: true, features: ['structured_outputs'] };
  const { request, omitted } = fitRequest({ ...QUESTION, tools, toolChoice: 'auto' }, model);
  expect([request.tools, request.toolChoice, omitted]).toEqual([undefined, undefined, ['tools']]);
});

test('audio is decoded with and without the prefix of a data URI', () => {
  const sound = writeWav({ rate: 16_000, channels: 1, samples: Buffer.alloc(4) });
  for (const head of ['', 'data:audio/wav;base64,']) {
    const { audio } = parseTranscript({ audio_base64: head + sound.toString('base64') }, 0, undefined);
    expect(audio).toEqual([sound]);
  }
});

describe('the links of a job', () => {
  const origins = new Set(['https://vision.example.com']);
  const good = 'https://vision.example.com/jobs/1';
  const job = { request_id: 'r1', status_url: good, response_url: good, cancel_url: good };

  test.each(['status_url', 'response_url', 'cancel_url'])(
    '%s has the origin of the service, or the job is rejected',
    (name) => {
      expect(parseJobHandle(job, origins, 'id').requestId).toBe('r1');
      const foreign = { ...job, [name]: 'https://elsewhere.example.com/jobs/1' };
      expect(() => parseJobHandle(foreign, origins, 'id')).toThrow('foreign origin');
    },
  );

  test.each(['https://user@vision.example.com/', 'https://:pw@vision.example.com/'])(
    '%s is not requested',
    (link) => {
      expect(() => requireTrustedUrl(link, origins)).toThrow('foreign origin');
    },
  );
});

test('beforeAttempt and onAttempt get the model and the outcome', async () => {
  const reports: unknown[] = [];
  await withServer(
    (socket) => stream(socket, answerOf('Yes')),
    async ({ upstream }) => {
      await readResponse(
        upstream.chat.stream(QUESTION, {
          beforeAttempt: async (number, _, model) => void reports.push([number, model]),
          onAttempt: (outcome) => void reports.push(outcome),
        }),
      );
    },
  );
  expect(reports).toEqual([[1, 'model-a'], { model: 'model-a' }]);
});

const parseHeader = (name: string) => parseRateLimit(200, { [name]: '3' }, 0);

test('a response with only one rate limit header reports that one', () => {
  expect(parseHeader('x-ratelimit-remaining-requests')).toMatchObject({ remaining: 3, limit: undefined });
  expect(parseHeader('x-ratelimit-requests-limit')).toMatchObject({ remaining: undefined, limit: 3 });
  expect(parseHeader('x-other')).toBeUndefined();
});

test('cached tokens never exceed the prompt tokens in the cost', () => {
  const usage = { promptTokens: 10, completionTokens: 0, reasoningTokens: 0, cachedTokens: 20 };
  const all = { ...usage, cachedTokens: 10 };
  const pricing = { prompt: '0.002', inputCacheRead: '0.001' };
  expect(calculateCost(usage, pricing).atto).toBe(calculateCost(all, pricing).atto);
});

test.each([
  ['images/upload', 100],
  ['images/search', 100],
  ['videos/upload', 50],
  ['videos/search', 50],
  ['clips', 10],
] as const)('%s is allowed %d times a day', (endpoint, requests) => {
  expect(getWindow(endpoint)).toEqual({ requests, windowMs: 86_400_000 });
});

test('text is counted by script, and JSON at three characters per token', () => {
  expect([estimateText('漢'.repeat(100)), estimateText('\u{1F600}'.repeat(100))]).toEqual([100, 220]);
  const schema = { type: 'object', properties: { title: { type: 'string' } } } as const;
  const responseFormat = { type: 'json_schema', name: 'form', schema } as const;
  const beside = estimateRequest({ ...QUESTION, responseFormat }) - estimateRequest(QUESTION);
  expect(Math.abs(beside - JSON.stringify(schema).length / 3)).toBeLessThanOrEqual(1);
});
