import { describe, expect, test } from '@jest/globals';
import { chunk, data, DONE, event, reply, stream, streamHead, USAGE } from '../upstream/raw-server.ts';
import { QUESTION, asUpstreamError, readResponse, withServer } from '../upstream/raw-server-harness.ts';

/**
 * The 48 ways of a server to write a stream at which common clients were tried. Each is survived or reported, and no part
 * of an answer is ever taken for the whole of it.
 */

const TEXT = 'Grüße 👋, all';
const PARTS = ['Grü', 'ße ', '👋, ', 'all'].map((content) => event({ content }));
const ROLE = event({ role: 'assistant', content: '' });
const END = event({}, 'stop');
const COUNT = data({ id: 'c-1', choices: [], usage: USAGE });
const ALL = [ROLE, ...PARTS, END, COUNT, DONE];
const WHOLE = ALL.join('');

/** Every part of the stream changed so. */
const each = (change: (text: string) => string): string[] => ALL.map(change);
const bytes = (size: number): Buffer[] => {
  const all = Buffer.from(WHOLE);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) =>
    all.subarray(n * size, (n + 1) * size),
  );
};
const insert = (text: string): string[] => [ROLE, PARTS[0] ?? '', text, ...PARTS.slice(1), END, COUNT, DONE];

type Pieces = readonly (string | Buffer)[];

const SURVIVED: Readonly<Record<string, Pieces>> = {
  'lines end with LF': ALL,
  'lines end with CR LF': each((text) => text.replaceAll('\n', '\r\n')),
  'lines end with CR': each((text) => text.replaceAll('\n', '\r')),
  'lines end in all three ways': ALL.map((text, at) =>
    text.replaceAll('\n', ['\n', '\r\n', '\r'][at % 3] ?? '\n'),
  ),
  'one byte at a time': bytes(1),
  'characters cut in two': bytes(5),
  'all at once': [WHOLE],
  'a byte order mark': [`\uFEFF${WHOLE}`],
  'comments between events': each((text) => `: ping\n\n${text}`),
  'comments within events': each((text) => text.replace('\n', '\n: ping\n')),
  'blank lines between events': each((text) => `\n\n${text}\n`),
  'no blank after the colon': each((text) => text.replace('data: ', 'data:')),
  'id, event and retry fields': each((text) => `id: 1\nevent: message\nretry: 9\n${text}`),
  'an event over two lines': each((text) => text.replace(',"', ',\ndata: "')),
  'no end mark': [ROLE, ...PARTS, END, COUNT],
  'an end mark without its line end': [ROLE, ...PARTS, END, COUNT, 'data: [DONE]'],
  'an end mark with a blank behind it': [ROLE, ...PARTS, END, COUNT, 'data: [DONE] \n\n'],
  'no line end after the last event': [ROLE, ...PARTS, END.trimEnd()],
  'an event after the end mark': [...ALL, event({ content: 'MORE' })],
  'an event without data': insert('data:\n\n'),
  'usage with the finish': [ROLE, ...PARTS, event({}, 'stop', { usage: USAGE }), DONE],
  'usage in each event': [ROLE, ...PARTS, END, DONE].map((text) =>
    text.replace('"choices"', '"usage":{"prompt_tokens":7,"completion_tokens":1},"choices"'),
  ),
  'usage of null': insert(event({}, null, { usage: null })),
  'an event without choices': insert(data({ id: 'c-1', object: 'chat.completion.chunk' })),
  'fields that nobody knows': each((text) => text.replace('"choices"', '"metadata":{"x":[1]},"choices"')),
  'another finish reason': [ROLE, ...PARTS, event({}, 'eos_token'), DONE],
  'no role': [...PARTS, END, DONE],
  'a role late': [PARTS[0] ?? '', ROLE, ...PARTS.slice(1), END, DONE],
  'neither id nor date': each((text) => text.replace('"id":"c-1",', '').replace('"created":1,', '')),
  'reasoning before the role': [event({ reasoning_content: 'Hm.' }), ...ALL],
  'reasoning under two names': insert(event({ reasoning: 'Hm.', reasoning_content: 'Hm.' })),
  'the legacy shape': ['Grü', 'ße ', '👋, ', 'all', ''].map((content, at) =>
    data({
      id: 'c-1',
      model: 'vendor-flash',
      choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: at === 4 ? 'stop' : null }],
      usage: { input_tokens: 7, output_tokens: at },
    }),
  ),
};

const callFragment = (
  index: number | undefined,
  id: string | null | undefined,
  name: string | undefined,
  args: unknown,
) =>
  event({
    tool_calls: [
      {
        ...(index !== undefined && { index }),
        ...(id !== undefined && { id }),
        function: { ...(name && { name }), arguments: args },
      },
    ],
  });

/** Two calls, `f({"x":1})` and `g({})`. */
const CALLED: Readonly<Record<string, readonly string[]>> = {
  'fragments of two calls, mixed': [
    callFragment(0, 'a', 'f', ''),
    callFragment(1, 'b', 'g', ''),
    callFragment(0, undefined, undefined, '{"x":'),
    callFragment(1, undefined, undefined, '{}'),
    callFragment(0, undefined, undefined, '1}'),
  ],
  'fragments without an index': [
    callFragment(undefined, 'a', 'f', '{"x":'),
    callFragment(undefined, undefined, undefined, '1}'),
    callFragment(undefined, 'b', 'g', '{}'),
  ],
  'whole calls, all of index 0': [callFragment(0, 'a', 'f', '{"x":1}'), callFragment(0, 'b', 'g', '{}')],
  'arguments that are objects': [callFragment(0, 'a', 'f', { x: 1 }), callFragment(1, 'b', 'g', {})],
  'null for what does not change': [
    callFragment(0, 'a', 'f', '{"x":'),
    callFragment(0, null, undefined, '1}'),
    callFragment(1, 'b', 'g', '{}'),
  ],
};

type Broken = { readonly pieces: Pieces; readonly kind: string; readonly last?: 'reset' | 'silence' };
const HALF = [ROLE, ...PARTS.slice(0, 2)];
const error = { error: { message: 'No.', type: 'server_error', code: null } };

const REPORTED: Readonly<Record<string, Broken>> = {
  'an end without a finish': { pieces: HALF, kind: 'cut' },
  'a broken connection': { pieces: HALF, last: 'reset', kind: 'cut' },
  'an event cut in two': { pieces: [...HALF, END.slice(0, 40)], kind: 'cut' },
  'an error in an event': { pieces: [...HALF, data(error), END, DONE], kind: 'server' },
  'an error in a named event': { pieces: [...HALF, `event: error\n${data(error)}`], kind: 'server' },
  'an error as an object': {
    pieces: [...HALF, data({ object: 'error', message: 'No.' }), DONE],
    kind: 'server',
  },
  'an error beside a choice': { pieces: [...HALF, event({}, 'error', error), DONE], kind: 'server' },
  'JSON that is none': { pieces: [...HALF, data('{"id":"c-1","choi'), END, DONE], kind: 'malformed' },
  'silence, kept alive by comments': { pieces: HALF, last: 'silence', kind: 'timeout' },
};

describe('a server that writes', () => {
  test.each(Object.entries(SURVIVED))('%s is understood', async (_, pieces) => {
    await withServer(
      (socket) => stream(socket, pieces),
      async ({ upstream }) => {
        const { end, error: failed } = await readResponse(upstream.chat.stream(QUESTION));
        expect([failed, end?.text, end?.streamed]).toEqual([undefined, TEXT, true]);
      },
    );
  });

  test('another content type is understood', async () => {
    await withServer(
      (socket) => stream(socket, ALL, { 'content-type': 'application/octet-stream' }),
      async ({ upstream }) =>
        expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe(TEXT),
    );
  });

  test('one JSON body for a stream is understood and reported', async () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }];
    await withServer(
      (socket) => reply(socket, 200, { id: 'c-1', model: 'model-a', choices }),
      async ({ upstream }) =>
        expect((await readResponse(upstream.chat.stream(QUESTION))).end).toMatchObject({
          text: TEXT,
          streamed: false,
        }),
    );
  });

  test.each(Object.entries(CALLED))('%s is understood', async (_, pieces) => {
    await withServer(
      (socket) => stream(socket, [ROLE, ...pieces, event({}, 'stop'), DONE]),
      async ({ upstream }) =>
        expect((await readResponse(upstream.chat.stream(QUESTION))).end?.toolCalls).toEqual([
          { id: 'a', name: 'f', arguments: '{"x":1}' },
          { id: 'b', name: 'g', arguments: '{}' },
        ]),
    );
  });

  test.each(Object.entries(REPORTED))(
    '%s is reported, with the text so far',
    async (_, { pieces, kind, last }) => {
      await withServer(
        (socket) => {
          if (last === undefined) return stream(socket, pieces);
          streamHead(socket);
          for (const piece of pieces) chunk(socket, piece);
          if (last === 'silence') chunk(socket, ': ping\n\n');
          return undefined;
        },
        async ({ upstream, server, time }) => {
          const response = await readResponse(upstream.chat.stream(QUESTION), ({ type }) => {
            if (type !== 'text' || last === undefined) return;
            if (last === 'silence') time.advance(60_000);
            else void server.close();
          });
          expect(response.end).toBeUndefined();
          expect(asUpstreamError(response.error).kind).toBe(kind);
          expect('Grüße '.startsWith(asUpstreamError(response.error).partialText ?? '?')).toBe(true);
          expect(server.requests).toHaveLength(1);
        },
      );
    },
  );

  test('the list has 48 entries', () => {
    const tables = [SURVIVED, CALLED, REPORTED].map((table) => Object.keys(table).length);
    expect(tables.reduce((sum, count) => sum + count, 2)).toBe(48);
  });
});

test('a stream cut anywhere is complete only if its finish reason has arrived', async () => {
  const all = Buffer.from(WHOLE);
  const finished = all.indexOf(END.trimEnd()) + Buffer.byteLength(END.trimEnd());
  const cuts = Array.from({ length: all.length }, (_, at) => at).filter(
    (at) => at % 7 === 0 || Math.abs(at - finished) < 4,
  );
  await withServer(
    (socket, { body }) => {
      streamHead(socket);
      chunk(socket, all.subarray(0, Number(body['cut'])));
      socket.write('0\r\n\r\n');
    },
    async ({ upstream }) => {
      for (const cut of cuts) {
        const response = await readResponse(upstream.chat.stream({ ...QUESTION, extra: { cut } }));
        const outcome = response.end === undefined ? asUpstreamError(response.error).kind : response.end.text;
        expect([cut, outcome]).toEqual([cut, cut < finished ? 'cut' : TEXT]);
      }
    },
  );
});
