import { getEventListeners, once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { AttemptTimeouts } from '../../shared/upstream/http/attempt-timeouts.ts';
import { answerOf, chunk, event, lastChunk, reply, stream, streamHead } from './raw-server.ts';
import { QUESTION, asUpstreamError, readResponse, until, withServer } from './raw-server-harness.ts';
import { TestTime } from './time.ts';

describe('timeouts', () => {
  test('the time between events expires despite keep-alive comments', async () => {
    await withServer(
      async (socket) => {
        streamHead(socket);
        chunk(socket, event({ content: 'Half' }));
        while (!socket.destroyed) {
          chunk(socket, ': ping\n\n');
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
      async ({ upstream, server, time }) => {
        const reading = readResponse(upstream.chat.stream(QUESTION), ({ type }) => {
          if (type === 'text') time.advance(30_000);
        });
        expect(asUpstreamError((await reading).error)).toMatchObject({
          kind: 'timeout',
          code: 'idle',
          partialText: 'Half',
        });
        await until(() => server.open() === 0);
        expect(time.pending).toBe(0);
      },
    );
  });

  test('the first token times out in a stream of empty events', async () => {
    await withServer(
      async (socket) => {
        streamHead(socket);
        while (!socket.destroyed) {
          chunk(socket, event({ role: 'assistant', content: '' }));
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
      async ({ upstream, server, time }) => {
        const reading = readResponse(upstream.chat.stream(QUESTION));
        await until(() => server.requests.length === 1);
        const clock = setInterval(() => time.advance(10_000), 2);
        expect(asUpstreamError((await reading).error)).toMatchObject({
          kind: 'timeout',
          code: 'first_token',
        });
        clearInterval(clock);
      },
    );
  });

  test('after finish_reason a silent server costs the usage, not the answer', async () => {
    await withServer(
      (socket) => {
        streamHead(socket);
        chunk(socket, event({ content: 'All of it' }));
        chunk(socket, event({}, 'stop'));
      },
      async ({ upstream, time }) => {
        const reading = readResponse(upstream.chat.stream(QUESTION));
        const start = time.now();
        const clock = setInterval(() => time.advance(2_500), 2);
        const response = await reading;
        clearInterval(clock);
        expect(time.now() - start).toBeLessThan(30_000);
        expect(response.end).toMatchObject({ text: 'All of it', finish: 'stop', usage: undefined });
      },
    );
  });

  test('after finish_reason a server that sends empty events for ever does not hold the answer back', async () => {
    await withServer(
      async (socket) => {
        streamHead(socket);
        chunk(socket, event({ content: 'All of it' }));
        chunk(socket, event({}, 'stop'));
        while (!socket.destroyed) {
          chunk(socket, event({}));
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
      async ({ upstream, time }) => {
        const start = time.now();
        const reading = readResponse(upstream.chat.stream(QUESTION, { deadline: start + 300_000 }));
        const clock = setInterval(() => time.advance(1_000), 2);
        const response = await reading;
        clearInterval(clock);
        expect(response.end).toMatchObject({ text: 'All of it', finish: 'stop' });
        expect(time.now() - start).toBeLessThan(30_000);
      },
    );
  });

  test('content after finish_reason has its time, as of servers that send one with each part', async () => {
    const parts = ['one ', 'two ', 'three ', 'four'].map((content) => event({ content }, 'stop'));
    let connection: Socket | undefined;
    const sendNext = (): void => {
      const part = parts.shift();
      if (connection === undefined) throw new Error('no connection');
      if (part === undefined) lastChunk(connection);
      else chunk(connection, part);
    };
    await withServer(
      (socket) => {
        connection = socket;
        streamHead(socket);
        sendNext();
      },
      async ({ upstream, time }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION), ({ type }) => {
          if (type !== 'text') return;
          time.advance(20_000);
          sendNext();
        });
        expect(response.end?.text).toBe('one two three four');
      },
      { timeouts: { afterFinish: 30_000 } },
    );
  });

  test('the deadline expires in the middle of an answer', async () => {
    await withServer(
      (socket) => {
        streamHead(socket);
        chunk(socket, event({ content: 'Half' }));
      },
      async ({ upstream, time }) => {
        const reading = readResponse(upstream.chat.stream(QUESTION, { deadline: time.now() + 15_000 }), () =>
          time.advance(15_000),
        );
        expect(asUpstreamError((await reading).error)).toMatchObject({
          kind: 'timeout',
          code: 'deadline',
          partialText: 'Half',
        });
      },
    );
  });

  test('the deadline also limits a hanging beforeAttempt or apiKey', async () => {
    await withServer(
      (socket) => reply(socket, 500, {}),
      async ({ upstream, server, time }) => {
        const reading = readResponse(
          upstream.chat.stream(QUESTION, {
            deadline: time.now() + 15_000,
            beforeAttempt: () => new Promise(() => undefined),
          }),
        );
        await until(() => time.pending === 1);
        time.advance(15_000);
        expect(asUpstreamError((await reading).error)).toMatchObject({ kind: 'timeout', code: 'deadline' });
        expect(server.requests).toHaveLength(0);
      },
    );
  });
});

test('a timeout still expires after another was cancelled', async () => {
  const time = new TestTime();
  const watch = new AttemptTimeouts(time, {});
  watch.start('first_byte', 20_000);
  watch.cancel('first_byte');
  time.advance(20_000);
  await until(() => time.pending === 0);
  watch.start('idle', 30_000);
  time.advance(30_000);
  await until(() => watch.signal.aborted);
  expect(watch.signal.reason).toMatchObject({ kind: 'timeout', code: 'idle' });
  expect(time.pending).toBe(0);
});

describe('an abort', () => {
  test('that never happens leaves no listener on its signal', async () => {
    const { signal } = new AbortController();
    await withServer(
      (socket, _, count) => (count === 1 ? reply(socket, 500, {}) : stream(socket, answerOf('Hi'))),
      async ({ upstream }) => {
        expect((await readResponse(upstream.chat.stream(QUESTION, { signal }))).end?.text).toBe('Hi');
        await upstream.chat.complete(QUESTION, { signal }).catch(() => undefined);
        expect(getEventListeners(signal, 'abort')).toEqual([]);
      },
    );
  });

  test('in the middle of an answer closes the socket at once and throws the signal’s reason', async () => {
    const abort = new AbortController();
    let closed: Promise<unknown> = Promise.resolve();
    await withServer(
      (socket) => {
        closed = once(socket, 'close');
        streamHead(socket);
        chunk(socket, event({ content: 'Half' }));
      },
      async ({ upstream, server, time }) => {
        const reason = new Error('deleted');
        const response = await readResponse(upstream.chat.stream(QUESTION, { signal: abort.signal }), () =>
          abort.abort(reason),
        );
        expect(response.error).toBe(reason);
        await closed;
        expect(server.requests).toHaveLength(1);
        expect(time.pending).toBe(0);
      },
    );
  });

  test('before the answer begins does the same', async () => {
    const abort = new AbortController();
    await withServer(
      () => abort.abort(),
      async ({ upstream, server }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION, { signal: abort.signal }));
        expect(response.error).toMatchObject({ name: 'AbortError' });
        await until(() => server.open() === 0);
      },
    );
  });

  test('before the request sends nothing', async () => {
    await withServer(
      (socket) => reply(socket, 500, {}),
      async ({ upstream, server }) => {
        const response = await readResponse(
          upstream.chat.stream(QUESTION, {
            signal: AbortSignal.abort(),
            beforeAttempt: () => Promise.reject(new Error('taken')),
          }),
        );
        expect(response.error).toMatchObject({ name: 'AbortError' });
        expect(server.requests).toHaveLength(0);
      },
    );
  });

  test('also happens when the caller leaves the loop early', async () => {
    await withServer(
      (socket) => {
        streamHead(socket);
        chunk(socket, event({ content: 'Half' }));
      },
      async ({ upstream, server, time }) => {
        for await (const { type } of upstream.chat.stream(QUESTION)) {
          if (type === 'text') break;
        }
        await until(() => server.open() === 0);
        expect(time.pending).toBe(0);
      },
    );
  });
});

test('a slow reader is not treated as a silent server', async () => {
  await withServer(
    (socket) => stream(socket, answerOf('one two three')),
    async ({ upstream, time }) => {
      const response = await readResponse(upstream.chat.stream(QUESTION), () => time.advance(60_000));
      expect(response.end?.text).toBe('one two three');
    },
  );
});
