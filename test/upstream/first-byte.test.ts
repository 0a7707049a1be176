import type { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { answerOf, chunk, event, lastChunk, reply, stream, streamHead } from './raw-server.ts';
import { QUESTION, asUpstreamError, readResponse, until, withServer } from './raw-server-harness.ts';
import type { TestTime } from './time.ts';

/** The list says of the model that it does not reason: it sends its first byte soon. */
const WITHOUT_REASONING = {
  lookUpModel: async (id: string) => ({ id, ready: true, features: ['tools', 'streaming'] }),
};

test('the first byte times out three times, then the request fails', async () => {
  await withServer(
    () => undefined,
    async ({ upstream, server, time }) => {
      const reading = readResponse(upstream.chat.stream(QUESTION, WITHOUT_REASONING));
      for (const count of [1, 2, 3]) {
        await until(() => server.requests.length === count && time.pending === 1);
        time.advance(20_000 * count);
      }
      expect(asUpstreamError((await reading).error)).toMatchObject({ kind: 'timeout', code: 'first_byte' });
      expect(time.pending).toBe(0);
    },
  );
});

test('a server that loads a model has more time in each attempt', async () => {
  let clock: TestTime | undefined;
  await withServer(
    (socket, _, count) => {
      if (count < 2) return;
      clock?.advance(39_000);
      stream(socket, answerOf('It is loaded.'));
    },
    async ({ upstream, server, time }) => {
      clock = time;
      const reading = readResponse(upstream.chat.stream(QUESTION, WITHOUT_REASONING));
      await until(() => server.requests.length === 1 && time.pending === 1);
      time.advance(20_000);
      expect((await reading).end?.text).toBe('It is loaded.');
    },
  );
});

test('only attempts that got no byte give the next one more time, at most the time for the first token', async () => {
  await withServer(
    (socket, _, count) => {
      if (count === 1) reply(socket, 503, {});
    },
    async ({ upstream, server, time }) => {
      const reading = readResponse(upstream.chat.stream(QUESTION, WITHOUT_REASONING));
      await until(() => server.requests.length === 2 && time.pending === 1);
      time.advance(30_000);
      await until(() => server.requests.length === 3 && time.pending === 1);
      time.advance(45_000);
      expect(asUpstreamError((await reading).error)).toMatchObject({ kind: 'timeout', code: 'first_byte' });
    },
    { timeouts: { firstByte: 30_000, firstToken: 45_000 } },
  );
});

/** Advances the clock after the head (`head`), or before it, then answers. */
const late =
  (ms: number, clock: () => TestTime | undefined, head: boolean) =>
  async (socket: Socket): Promise<void> => {
    if (head) streamHead(socket);
    for (let passed = 0; passed < ms; passed += 10_000) {
      if (head) chunk(socket, ': still thinking\n\n');
      await new Promise((resolve) => setImmediate(resolve));
      clock()?.advance(10_000);
    }
    if (!head) streamHead(socket);
    for (const piece of answerOf('Thought.')) chunk(socket, piece);
    lastChunk(socket);
  };

describe('a model that may reason', () => {
  test.each([
    ['sends its head at once and its answer after 200 s', true],
    ['sends its first byte after 200 s', false],
  ])('%s is asked once', async (_, head) => {
    let clock: TestTime | undefined;
    await withServer(
      late(200_000, () => clock, head),
      async ({ upstream, server, time }) => {
        clock = time;
        for (const options of [{}, reasoning]) {
          expect((await readResponse(upstream.chat.stream(QUESTION, options))).end?.text).toBe('Thought.');
        }
        expect(server.requests).toHaveLength(2);
      },
    );
  });

  const reasoning = { lookUpModel: async (id: string) => ({ id, ready: true, features: ['reasoning'] }) };

  test.each([
    ['after its head', true],
    ['without a byte', false],
  ])(
    'and stays silent %s is given up after the time for the first token, and not asked again',
    async (_, head) => {
      await withServer(
        (socket) => {
          if (head) streamHead(socket);
          if (head) chunk(socket, event({ role: 'assistant', content: '' }));
        },
        async ({ upstream, server, time }) => {
          const reading = readResponse(upstream.chat.stream(QUESTION, reasoning));
          await until(() => server.requests.length === 1 && time.pending === 1);
          time.advance(299_000);
          expect(time.pending).toBe(1);
          time.advance(1_000);
          expect(asUpstreamError((await reading).error)).toMatchObject({
            kind: 'timeout',
            code: 'first_token',
          });
          expect(server.requests).toHaveLength(1);
          expect(time.pending).toBe(0);
        },
      );
    },
  );

  test('may be silent for as long between the parts of its reasoning', async () => {
    let connection: Socket | undefined;
    await withServer(
      (socket) => {
        connection = socket;
        streamHead(socket);
        chunk(socket, event({ reasoning_content: 'Hm.' }));
      },
      async ({ upstream, time }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION), ({ type }) => {
          if (type !== 'reasoning' || connection === undefined) return;
          time.advance(200_000);
          for (const piece of answerOf('Thought.')) chunk(connection, piece);
          lastChunk(connection);
        });
        expect(response.end).toMatchObject({ reasoning: 'Hm.', text: 'Thought.' });
      },
    );
  });
});
