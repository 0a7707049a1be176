import { describe, expect, test } from '@jest/globals';
import type { AttemptOutcome } from '../../shared/upstream/index.ts';
import { answerOf, chunk, data, DONE, event, lastChunk, stream, streamHead } from './raw-server.ts';
import { QUESTION, asUpstreamError, KEY, readResponse, textOf, withServer } from './raw-server-harness.ts';

type Broken = {
  readonly pieces: readonly string[];
  readonly last?: 'reset' | 'end' | 'close';
  readonly kind: string;
  readonly code?: string;
  readonly partial: string;
};
const START = [event({ role: 'assistant' }), event({ content: 'Half an ' }), event({ content: 'ans' })];
const BROKEN: Readonly<Record<string, Broken>> = {
  'the end comes without a finish_reason': {
    pieces: START,
    kind: 'cut',
    code: 'no_finish_reason',
    partial: 'Half an ans',
  },
  'the socket is reset': { pieces: START, last: 'reset', kind: 'cut', partial: 'Half an ans' },
  'the connection closes within a chunk': {
    pieces: START,
    last: 'close',
    kind: 'cut',
    partial: 'Half an ans',
  },
  'the last event is half an event': {
    pieces: [...START, event({}, 'stop').slice(0, 60)],
    kind: 'cut',
    code: 'no_finish_reason',
    partial: 'Half an ans',
  },
  'an error comes as an event': {
    pieces: [...START, data({ error: { message: `bad ${KEY}`, type: 'server_error', code: 'boom' } })],
    kind: 'server',
    code: 'boom',
    partial: 'Half an ans',
  },
  'an error comes as a named event': {
    pieces: [...START, 'event: error\ndata: out of memory\n\n'],
    kind: 'server',
    partial: 'Half an ans',
  },
  'an error object comes as older servers send it': {
    pieces: [...START, data({ object: 'error', message: 'nope', code: 400 })],
    kind: 'bad-request',
    code: '400',
    partial: 'Half an ans',
  },
  'an error rides on an ordinary chunk': {
    pieces: [...START, event({ content: '!' }, 'error', { error: { code: 502, message: 'x' } })],
    kind: 'server',
    code: '502',
    partial: 'Half an ans',
  },
  'the finish_reason is error': {
    pieces: [...START, event({}, 'error')],
    kind: 'server',
    code: 'finish_error',
    partial: 'Half an ans',
  },
  'an event is not JSON': {
    pieces: [...START, data('{"choices":[{')],
    kind: 'malformed',
    code: 'bad_json',
    partial: 'Half an ans',
  },
  'an event is JSON of another kind': {
    pieces: [...START, data('[1]')],
    kind: 'malformed',
    code: 'bad_json',
    partial: 'Half an ans',
  },
  'capacity runs out on the way': {
    pieces: [...START, data({ error: { message: 'full', code: 'model_at_capacity' } })],
    kind: 'at-capacity',
    partial: 'Half an ans',
  },
};

describe('a stream is requested again, because nothing of the answer has arrived, when', () => {
  const FILTERED = data({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] });
  test.each<[string, readonly string[], 'reset' | 'end']>([
    ['it is reset after an event with the role', [event({ role: 'assistant', content: '' })], 'reset'],
    ['it ends after an event without a choice', [FILTERED], 'end'],
    [
      'an error follows the role',
      [event({ role: 'assistant' }), data({ error: { message: 'x', code: 'internal_error' } })],
      'end',
    ],
  ])('%s', async (_, pieces, last) => {
    await withServer(
      (socket, _request, count) => {
        if (count > 1) return stream(socket, answerOf('All of it'));
        streamHead(socket);
        for (const piece of pieces) chunk(socket, piece);
        if (last === 'end') lastChunk(socket);
        else setTimeout(() => socket.resetAndDestroy(), 20);
        return undefined;
      },
      async ({ upstream, server }) => {
        const outcomes: boolean[] = [];
        const onAttempt = ({ error }: AttemptOutcome): number => outcomes.push(error === undefined);
        const response = await readResponse(upstream.chat.stream(QUESTION, { onAttempt }));
        expect(response.end?.text).toBe('All of it');
        expect(outcomes).toEqual([false, true]);
        expect(server.requests).toHaveLength(2);
      },
    );
  });
});

describe('an incomplete answer is an error with the text so far and is not retried, when', () => {
  test.each(Object.entries(BROKEN))('%s', async (_, { pieces, last = 'end', kind, code, partial }) => {
    await withServer(
      (socket) => {
        streamHead(socket, { 'x-request-id': 'r-1' });
        for (const piece of pieces) chunk(socket, piece);
        if (last === 'end') lastChunk(socket);
        else if (last === 'close') socket.end('ff\r\nhalf');
        else setTimeout(() => socket.resetAndDestroy(), 20);
      },
      async ({ upstream, server, time }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        const error = asUpstreamError(response.error);
        expect(error).toMatchObject({ kind, partialText: partial, requestId: 'r-1', ...(code && { code }) });
        expect(error.message).not.toContain(KEY);
        expect(textOf(response)).toBe(partial);
        expect(server.requests).toHaveLength(1);
        expect(time.pending).toBe(0);
      },
    );
  });

  test.each([
    ['only the end mark comes', (): readonly string[] => [DONE], 'empty_answer'],
    ['a page comes', (): readonly string[] => ['<!doctype html><p>Welcome'], 'not_a_stream'],
    ['a JSON body is broken off', (): readonly string[] => ['{"choices":[{"mess'], 'not_a_stream'],
    ['a JSON body without a choice comes', (): readonly string[] => ['{"choices":[]}'], 'empty_answer'],
  ])('%s', async (_, pieces, code) => {
    await withServer(
      (socket) => stream(socket, pieces()),
      async ({ upstream, server }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error)).toMatchObject({ kind: 'malformed', code });
        expect(server.requests).toHaveLength(1);
      },
    );
  });

  test('a line has no end (and memory stays bounded)', async () => {
    const block = Buffer.alloc(1024 * 1024, 'x');
    let sent = 0;
    await withServer(
      (socket) => {
        streamHead(socket);
        chunk(socket, event({ content: 'Hi' }));
        chunk(socket, 'data: ');
        const more = (): void => {
          sent += 1;
          if (sent > 32 || socket.destroyed) return;
          socket.write(`${block.length.toString(16)}\r\n`);
          socket.write(block);
          socket.write('\r\n', () => setImmediate(more));
        };
        more();
      },
      async ({ upstream }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error)).toMatchObject({ kind: 'too-large', partialText: 'Hi' });
        expect(sent).toBeLessThan(32);
      },
    );
  });
});
