import { expect, test } from '@jest/globals';
import { answerOf, reply, stream } from './raw-server.ts';
import { QUESTION, asUpstreamError, readResponse, until, withServer } from './raw-server-harness.ts';
import type { TestTime } from './time.ts';

test('the first byte times out three times, then the request fails', async () => {
  await withServer(
    () => undefined,
    async ({ upstream, server, time }) => {
      const reading = readResponse(upstream.chat.stream(QUESTION));
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
      const reading = readResponse(upstream.chat.stream(QUESTION));
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
      const reading = readResponse(upstream.chat.stream(QUESTION));
      await until(() => server.requests.length === 2 && time.pending === 1);
      time.advance(30_000);
      await until(() => server.requests.length === 3 && time.pending === 1);
      time.advance(45_000);
      expect(asUpstreamError((await reading).error)).toMatchObject({ kind: 'timeout', code: 'first_byte' });
    },
    { timeouts: { firstByte: 30_000, firstToken: 45_000 } },
  );
});
