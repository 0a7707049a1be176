import type { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import type { ChatEvent } from '../../shared/upstream/index.ts';
import { answerOf, chunk, lastChunk, streamHead } from './raw-server.ts';
import {
  asUpstreamError,
  QUESTION,
  type RawServerHarness,
  readResponse,
  textOf,
  until,
  withServer,
} from './raw-server-harness.ts';

/** Longer than what the clock of the tests skips. */
const INTERVAL_MS = 6_000;
const TEXT = 'one two three four five six';
const PARTS = answerOf(TEXT);

const turns = async (count: number): Promise<void> => {
  let left = count;
  await until(() => (left -= 1) < 0);
};

type PausedStream = RawServerHarness & {
  readonly events: ChatEvent[];
  readonly socket: Socket;
  readonly reading: ReturnType<typeof readResponse>;
};

/** An answer of which two words were read; the next read is paused. `rest` has been sent when `use` begins. */
async function withPausedStream(
  rest: (socket: Socket) => void,
  use: (stream: PausedStream) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const open = Promise.withResolvers<Socket>();
  await withServer(
    (socket) => {
      streamHead(socket);
      open.resolve(socket);
    },
    async (harness) => {
      const events: ChatEvent[] = [];
      const reading = readResponse(
        harness.upstream.chat.stream(QUESTION, { signal }),
        (event) => void events.push(event),
      );
      const socket = await open.promise;
      for (const [index, part] of PARTS.slice(1, 3).entries()) {
        chunk(socket, part);
        await until(() => events.length === index + 1);
        // The first words are read at once, however fast they come.
        harness.time.advance(300);
      }
      const pending = harness.time.pending;
      rest(socket);
      await turns(50);
      expect(events).toHaveLength(2);
      expect(harness.time.pending).toBe(pending);
      await use({ ...harness, events, socket, reading });
      expect(harness.time.pending).toBe(0);
    },
    { readIntervalMs: INTERVAL_MS },
  );
}

const sendWordAndEnd = (socket: Socket): void => {
  chunk(socket, PARTS[3] ?? '');
  socket.end();
};

const sendRest = (socket: Socket): void => {
  for (const part of PARTS.slice(3)) chunk(socket, part);
  lastChunk(socket);
};

test('what arrives between two reads of a stream is delivered together, and the connection is used again', async () => {
  await withPausedStream(sendRest, async ({ time, reading, server, upstream }) => {
    time.advance(INTERVAL_MS);
    const response = await reading;
    expect(response.error).toBeUndefined();
    expect(textOf(response)).toBe(TEXT);
    expect(response.events.filter(({ type }) => type === 'text').length).toBeLessThan(5);
    await turns(20);
    const next = readResponse(upstream.chat.stream(QUESTION));
    await until(() => server.requests.length === 2);
    expect(server.opened()).toBe(1);
    await server.close();
    await next;
  });
});

test('an abort ends a stream between two reads at once', async () => {
  const stop = new AbortController();
  await withPausedStream(
    sendRest,
    async ({ reading, server }) => {
      stop.abort(new Error('stopped'));
      expect((await reading).error).toEqual(new Error('stopped'));
      await until(() => server.open() === 0);
    },
    stop.signal,
  );
});

test('words before a connection that closes between two reads are not lost', async () => {
  await withPausedStream(sendWordAndEnd, async ({ time, reading }) => {
    time.advance(INTERVAL_MS);
    expect(asUpstreamError((await reading).error)).toMatchObject({
      kind: 'cut',
      partialText: 'one two three ',
    });
  });
});
