import { describe, expect, test } from '@jest/globals';
import { legacyBody } from '../../shared/upstream/chat/legacy.ts';
import { ConnectionError } from '../../shared/upstream/index.ts';
import { clean } from '../../shared/upstream/http/error-of.ts';
import { next } from '../../shared/upstream/http/retry.ts';
import { rateLimitOf } from '../../shared/upstream/http/rate-headers.ts';
import { estimateRequest, estimateText } from '../../shared/upstream/models/estimate.ts';
import { costOf } from '../../shared/upstream/models/pricing.ts';
import { windowOf } from '../../shared/upstream/vision/windows.ts';
import { fit } from '../../shared/upstream/models/fit.ts';
import { transcriptOf } from '../../shared/upstream/speech/transcript.ts';
import { handleOf, trusted } from '../../shared/upstream/vision/handle.ts';
import { answerOf, reply, stream, streamHead } from './raw-server.ts';
import { ASK, failure, read, withServer } from './rig.ts';

test('arguments of a call that are no JSON object reach a model of the legacy shape as they are', () => {
  const call = { id: 'c1', name: 'search', arguments: '{"query": "sky' };
  const messages = [
    { role: 'user', content: 'Why?' },
    { role: 'assistant', content: '', toolCalls: [call] },
    { role: 'tool', content: 'No.', toolCallId: 'c1' },
  ] as const;
  const { body } = legacyBody({ model: 'm', messages, maxTokens: 1 }, false);
  expect(JSON.stringify(body)).toContain(JSON.stringify({ arguments: call.arguments }));
});

test('a stream that ends without an event is asked for again', async () => {
  await withServer(
    (socket, _, count) => {
      if (count > 1) return stream(socket, answerOf('At last'));
      streamHead(socket);
      return void socket.end('0\r\n\r\n');
    },
    async ({ upstream, server }) => {
      expect((await read(upstream.chat.stream(ASK))).end?.text).toBe('At last');
      expect(server.requests).toHaveLength(2);
    },
  );
});

test.each(['', '/', '/v1', '/v1/'])('an address may end in %j', async (path) => {
  await withServer(
    (socket) => stream(socket, answerOf('Yes')),
    async ({ server }) => {
      await withServer(
        () => undefined,
        async ({ upstream }) => {
          expect((await read(upstream.chat.stream(ASK))).end?.text).toBe('Yes');
        },
        { baseUrl: `${server.url}${path}` },
      );
      expect(server.requests[0]?.path).toMatch(/^\/v\d\//u);
      expect(server.requests[0]?.path).not.toContain('/v1/v1');
    },
  );
});

test('words of a server are kept without the key, and 500 characters of them', () => {
  expect(clean(`no sk-1 here${'x'.repeat(600)}`, 'sk-1')).toMatch(/^no \[key\] herex{484,490}…$/u);
  expect(clean('x'.repeat(500), '')).toBe('x'.repeat(500));
});

test('a certificate that is not trusted is not tried again; a connection that breaks is', () => {
  const situation = { retries: 0, random: 0, now: 0, refreshed: false, moreModels: false, repeatable: true };
  const after = (code: string) =>
    next(new ConnectionError('no', { code }), {
      ...situation,
      deadline: undefined,
      callerWaits: false,
      maxWaitMs: 60_000,
    }).kind;
  expect([after('certificate'), after('reset')]).toEqual(['give-up', 'wait']);
});

test('an answer that is too large is not read to its end', async () => {
  await withServer(
    (socket) => reply(socket, 200, { data: 'x'.repeat(70 * 1024 * 1024) }),
    async ({ upstream }) => {
      const error = await upstream.models.list().catch((reason: unknown) => reason);
      expect(failure(error)).toMatchObject({ kind: 'too-large' });
    },
  );
});

test('a request without tools has no choice of one', () => {
  const tools = [{ name: 'search' }];
  const model = { id: 'm', ready: true, features: ['structured_outputs'] };
  const { request, omitted } = fit({ ...ASK, tools, toolChoice: 'auto' }, model);
  expect([request.tools, request.toolChoice, omitted]).toEqual([undefined, undefined, ['tools']]);
});

test('sound is read with and without the head of a data address', () => {
  const sound = Buffer.from('RIFF');
  for (const head of ['', 'data:audio/wav;base64,']) {
    const { audio } = transcriptOf({ audio_base64: head + sound.toString('base64') }, 0, undefined);
    expect(audio).toEqual([sound]);
  }
});

describe('the links of a job', () => {
  const origins = new Set(['https://vision.example.com']);
  const good = 'https://vision.example.com/jobs/1';
  const job = { request_id: 'r1', status_url: good, response_url: good, cancel_url: good };

  test.each(['status_url', 'response_url', 'cancel_url'])(
    '%s leads to the service, or the job is not taken',
    (name) => {
      expect(handleOf(job, origins, 'id').requestId).toBe('r1');
      const foreign = { ...job, [name]: 'https://elsewhere.example.com/jobs/1' };
      expect(() => handleOf(foreign, origins, 'id')).toThrow('another address');
    },
  );

  test.each(['https://user@vision.example.com/', 'https://:pw@vision.example.com/'])(
    '%s is not asked',
    (link) => {
      expect(() => trusted(link, origins)).toThrow('another address');
    },
  );
});

test('who waits for a permit is told for which model, and what came of it', async () => {
  const told: unknown[] = [];
  await withServer(
    (socket) => stream(socket, answerOf('Yes')),
    async ({ upstream }) => {
      await read(
        upstream.chat.stream(ASK, {
          beforeAttempt: async (number, _, model) => void told.push([number, model]),
          onAttempt: (outcome) => void told.push(outcome),
        }),
      );
    },
  );
  expect(told).toEqual([[1, 'model-a'], { model: 'model-a' }]);
});

const seen = (name: string) => rateLimitOf(200, { [name]: '3' }, 0);

test('an answer that tells one thing of the limits tells that', () => {
  expect(seen('x-ratelimit-remaining-requests')).toMatchObject({ remaining: 3, limit: undefined });
  expect(seen('x-ratelimit-requests-limit')).toMatchObject({ remaining: undefined, limit: 3 });
  expect(seen('x-other')).toBeUndefined();
});

test('no more tokens of a prompt cost the price of a cache read than the prompt has', () => {
  const usage = { promptTokens: 10, completionTokens: 0, reasoningTokens: 0, cachedTokens: 20 };
  const all = { ...usage, cachedTokens: 10 };
  const pricing = { prompt: '0.002', inputCacheRead: '0.001' };
  expect(costOf(usage, pricing).atto).toBe(costOf(all, pricing).atto);
});

test.each([
  ['images/upload', 100],
  ['images/search', 100],
  ['videos/upload', 50],
  ['videos/search', 50],
  ['clips', 10],
] as const)('%s may be asked %d times in a day', (endpoint, requests) => {
  expect(windowOf(endpoint)).toEqual({ requests, windowMs: 86_400_000 });
});

test('text counts by script, and JSON for three characters a token', () => {
  expect([estimateText('漢'.repeat(100)), estimateText('\u{1F600}'.repeat(100))]).toEqual([100, 220]);
  const schema = { type: 'object', properties: { title: { type: 'string' } } } as const;
  const responseFormat = { type: 'json_schema', name: 'form', schema } as const;
  const beside = estimateRequest({ ...ASK, responseFormat }) - estimateRequest(ASK);
  expect(Math.abs(beside - JSON.stringify(schema).length / 3)).toBeLessThanOrEqual(1);
});
