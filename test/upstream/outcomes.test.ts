import type { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import type { AttemptOutcome, RateLimitInfo } from '../../shared/upstream/index.ts';
import { answerOf, chunk, data, DONE, event, reply, stream, streamHead } from './raw-server.ts';
import { QUESTION, asUpstreamError, readResponse, withServer } from './raw-server-harness.ts';

const LIMITED = { error: { message: 'Slow down', type: 'rate_limit_error', code: 'rate_limit_exceeded' } };
const FULL = { error: { message: 'Full', type: 'rate_limit_error', code: 'model_at_capacity' } };
/** As OpenRouter sends it once it has begun to respond. */
const LIMITED_IN_RESPONSE = { error: { message: 'Rate limit reached. Try again in 4.77s.', code: 429 } };

const short = ({ model, error }: AttemptOutcome): string => `${model} ${error?.kind ?? 'answered'}`;

test.each([
  'content_filter: PROHIBITED_CONTENT',
  'content_filter: RECITATION',
  'PROHIBITED_CONTENT',
  'RECITATION',
  'BLOCKLIST',
  'SPII',
  'SAFETY',
])('an answer that Gemini ends with %s was filtered, and its calls are not whole', async (word) => {
  const call = { index: 0, id: 'a', function: { name: 'f', arguments: '' } };
  await withServer(
    (socket) => stream(socket, [event({ content: 'Half', tool_calls: [call] }), event({}, word), DONE]),
    async ({ upstream }) => {
      const { end } = await readResponse(upstream.chat.stream(QUESTION));
      expect(end).toMatchObject({ text: 'Half', finish: 'content_filter', toolCalls: [{ arguments: '' }] });
    },
  );
});

test('an answer whose call Gemini could not form failed, and is asked for again', async () => {
  await withServer(
    (socket, _, count) =>
      count === 1
        ? stream(socket, [event({}, 'function_call_filter: MALFORMED_FUNCTION_CALL'), DONE])
        : stream(socket, answerOf('Hi')),
    async ({ upstream, server }) => {
      expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe('Hi');
      expect(server.requests).toHaveLength(2);
    },
  );
});

describe('each attempt is reported', () => {
  test('when it succeeds, even without rate limit headers', async () => {
    const outcomes: string[] = [];
    await withServer(
      (socket, _, count) =>
        count === 1
          ? reply(socket, 429, FULL)
          : count === 2
            ? reply(socket, 503, '')
            : stream(socket, answerOf('Hi')),
      async ({ upstream }) => {
        await readResponse(
          upstream.chat.stream(QUESTION, { onAttempt: (outcome) => outcomes.push(short(outcome)) }),
        );
        await upstream.models.list().catch(() => undefined);
      },
    );
    expect(outcomes).toEqual(['model-a at-capacity', 'model-a server', 'model-a answered']);
  });

  test('when a model at capacity is reported inside the stream, after a 200 and before any content', async () => {
    const outcomes: string[] = [];
    await withServer(
      (socket, _, count) => {
        if (count > 1) return stream(socket, answerOf('Hi'));
        streamHead(socket);
        chunk(socket, `data: ${JSON.stringify(FULL)}\n\n`);
        socket.end();
      },
      async ({ upstream }) => {
        await readResponse(
          upstream.chat.stream(QUESTION, { onAttempt: (outcome) => outcomes.push(short(outcome)) }),
        );
      },
    );
    expect(outcomes).toEqual(['model-a at-capacity', 'model-a answered']);
  });

  test('when the completion is not streamed', async () => {
    const outcomes: string[] = [];
    const body = {
      id: 'c',
      model: 'model-a',
      choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }],
    };
    await withServer(
      (socket) => reply(socket, 200, body),
      async ({ upstream }) => {
        await upstream.chat.complete(QUESTION, { onAttempt: (outcome) => outcomes.push(short(outcome)) });
      },
    );
    expect(outcomes).toEqual(['model-a answered']);
  });
});

test.each([
  [429, { 'retry-after': '2' }],
  [429, {}],
  [503, {}],
  [529, { 'retry-after': '1' }],
])('model_at_capacity is recognized with any status (%d)', async (status, headers) => {
  await withServer(
    (socket) => reply(socket, status, FULL, headers),
    async ({ upstream }) => {
      const { error } = await readResponse(upstream.chat.stream(QUESTION));
      expect(asUpstreamError(error)).toMatchObject({ kind: 'at-capacity', status });
    },
  );
});

describe('a caller that waits for limits itself', () => {
  test.each([
    ['a model at capacity', FULL],
    ['a limit', LIMITED],
    ['a limit without a code', {}],
  ])(
    'is called before each attempt after %s, any number of times, and the client does not wait',
    async (_, body) => {
      const models: (string | undefined)[] = [];
      await withServer(
        (socket, _request, count) =>
          count <= 6 ? reply(socket, 429, body, { 'retry-after': '900' }) : stream(socket, answerOf('Hi')),
        async ({ upstream, time, server }) => {
          const response = await readResponse(
            upstream.chat.stream(QUESTION, {
              waitsForLimits: 'caller',
              beforeAttempt: async (_attempt, _signal, model) => void models.push(model),
            }),
          );
          expect(response.end?.text).toBe('Hi');
          expect(server.requests).toHaveLength(7);
          expect(time.waits).toEqual([]);
        },
      );
      expect(models).toEqual(Array.from({ length: 7 }, () => 'model-a'));
    },
  );

  test.each<[string, (socket: Socket) => void]>([
    [
      'an event',
      (socket) => {
        streamHead(socket);
        chunk(socket, `data: ${JSON.stringify(LIMITED_IN_RESPONSE)}\n\n`);
        socket.end();
      },
    ],
    ['a body', (socket) => reply(socket, 200, LIMITED_IN_RESPONSE)],
  ])('can pause after a limit in %s of a response with status 200 as after a 429', async (_, limit) => {
    const reports: unknown[] = [];
    await withServer(
      (socket, _request, count) => (count === 1 ? limit(socket) : stream(socket, answerOf('Hi'))),
      async ({ upstream, time, server }) => {
        const options = {
          waitsForLimits: 'caller',
          beforeAttempt: async (attempt: number) => void reports.push(attempt),
          onRateLimit: (info: RateLimitInfo) => void reports.push(info),
        } as const;
        const response = await readResponse(upstream.chat.stream(QUESTION, options));
        expect([response.end?.text, server.requests.length, time.waits]).toEqual(['Hi', 2, []]);
      },
    );
    const info = { status: 429, code: '429', retryAfterMs: 4_770, model: 'model-a' };
    expect(reports).toEqual([1, info, 2]);
  });

  test('waits itself at most twice after a failure in the first event', async () => {
    const attempts: number[] = [];
    await withServer(
      (socket) => stream(socket, [data({ error: { code: 502, message: 'No provider' } })]),
      async ({ upstream, time }) => {
        const { error } = await readResponse(
          upstream.chat.stream(QUESTION, {
            waitsForLimits: 'caller',
            beforeAttempt: async (attempt) => void attempts.push(attempt),
          }),
        );
        expect(asUpstreamError(error)).toMatchObject({ kind: 'server', code: '502' });
        expect(time.waits).toHaveLength(2);
      },
    );
    expect(attempts).toEqual([1, 2, 3]);
  });

  test('ends the request by rejecting', async () => {
    const refusal = new Error('too long');
    await withServer(
      (socket) => reply(socket, 429, FULL),
      async ({ upstream, server }) => {
        const response = await readResponse(
          upstream.chat.stream(QUESTION, {
            waitsForLimits: 'caller',
            beforeAttempt: (attempt) => (attempt > 3 ? Promise.reject(refusal) : Promise.resolve()),
          }),
        );
        expect(response.error).toBe(refusal);
        expect(server.requests).toHaveLength(3);
      },
    );
  });

  test('still uses the stand-in models', async () => {
    const models: (string | undefined)[] = [];
    await withServer(
      (socket, { body }) =>
        body['model'] === 'model-a' ? reply(socket, 429, FULL) : stream(socket, answerOf('Hi')),
      async ({ upstream }) => {
        await readResponse(
          upstream.chat.stream(QUESTION, {
            standIns: ['model-b'],
            waitsForLimits: 'caller',
            beforeAttempt: async (_attempt, _signal, model) => void models.push(model),
          }),
        );
      },
    );
    expect(models).toEqual(['model-a', 'model-b']);
  });
});
