import { describe, expect, test } from '@jest/globals';
import { answerOf, data, DONE, event, reply, stream, USAGE } from './raw-server.ts';
import { QUESTION, KEY, readResponse, textOf, withServer } from './raw-server-harness.ts';

describe('a complete stream', () => {
  test('delivers the text as it arrives and ends with the counted usage', async () => {
    const headers = { 'x-request-id': 'r-9' };
    await withServer(
      (socket) => stream(socket, answerOf('Hello out there'), headers),
      async ({ upstream, server, time }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        expect(response.error).toBeUndefined();
        expect(textOf(response)).toBe('Hello out there');
        expect(response.end).toMatchObject({
          text: 'Hello out there',
          finish: 'stop',
          toolCalls: [],
          id: 'c-1',
          requestId: 'r-9',
          model: 'model-a',
          streamed: true,
          usage: { promptTokens: 7, completionTokens: 5, reasoningTokens: 2, cachedTokens: 0 },
        });
        expect(time.pending).toBe(0);
        expect(server.requests[0]).toMatchObject({
          method: 'POST',
          path: '/v1/chat/completions',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
          body: { model: 'model-a', stream: true, max_tokens: 4096, messages: QUESTION.messages },
        });
      },
    );
  });

  test('delivers one text event for the many deltas of one network chunk', async () => {
    await withServer(
      (socket) => stream(socket, [answerOf('one two three four').join('')]),
      async ({ upstream }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        expect(response.events.filter(({ type }) => type === 'text')).toEqual([
          { type: 'text', text: 'one two three four' },
        ]);
      },
    );
  });

  test('keeps its usage when a later chunk has none', async () => {
    const pieces = [
      event({ content: 'Hi' }),
      event({}, 'stop', { usage: USAGE }),
      event({}, null, { usage: null }),
    ];
    await withServer(
      (socket) => stream(socket, pieces),
      async ({ upstream }) => {
        expect((await readResponse(upstream.chat.stream(QUESTION))).end?.usage?.promptTokens).toBe(7);
      },
    );
  });

  test('keeps the connection for the next request', async () => {
    await withServer(
      (socket) => {
        socket.cork();
        stream(socket, answerOf('Hi'));
        socket.uncork();
      },
      async ({ upstream, server }) => {
        for (let call = 0; call < 3; call += 1) {
          await readResponse(upstream.chat.stream(QUESTION));
          // undici lets one event loop turn pass before it reuses a connection.
          await new Promise((resolve) => setImmediate(resolve));
          await new Promise((resolve) => setImmediate(resolve));
        }
        expect(server.requests).toHaveLength(3);
        expect(server.opened()).toBe(1);
      },
    );
  });

  test('delivers reasoning separately from the answer', async () => {
    const pieces = [
      event({ role: 'assistant', reasoning_content: 'Let me ' }),
      event({ reasoning: 'think.' }),
      event({ content: 'Yes.' }),
      event({}, 'stop'),
    ];
    await withServer(
      (socket) => stream(socket, pieces),
      async ({ upstream }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        expect(textOf(response)).toBe('Yes.');
        expect(textOf(response, 'reasoning')).toBe('Let me think.');
        expect(response.end).toMatchObject({ text: 'Yes.', reasoning: 'Let me think.', usage: undefined });
      },
    );
  });
});

/** Forms of a stream with the same meaning: `Grüße 👋, "you"\n`. */
const TEXT = 'Grüße 👋, "you"\n';
const PARTS = ['Grü', 'ße ', '👋, ', '"you"\n'].map((content) => event({ content }));
const FINISH = event({}, 'stop');
const whole = [...PARTS, FINISH, DONE].join('');
const bytes = Buffer.from(whole);
const TOLERATED: Readonly<Record<string, readonly (string | Buffer)[]>> = {
  LF: [whole],
  CRLF: [whole.replaceAll('\n', '\r\n')],
  CR: [whole.replaceAll('\n', '\r')],
  'mixed line ends': [
    PARTS[0] ?? '',
    (PARTS[1] ?? '').replaceAll('\n', '\r\n'),
    (PARTS[2] ?? '').replaceAll('\n', '\r'),
    PARTS[3] ?? '',
    FINISH,
    DONE,
  ],
  'one byte at a time': [...bytes].map((byte) => Buffer.from([byte])),
  'pieces of three bytes': Array.from({ length: Math.ceil(bytes.length / 3) }, (_, n) =>
    bytes.subarray(3 * n, 3 * n + 3),
  ),
  'a byte order mark': [`\uFEFF${whole}`],
  'a byte order mark in pieces': [Buffer.from([0xef]), Buffer.from([0xbb]), Buffer.from([0xbf]), whole],
  'comments between and within events': [`: ping\n\n${whole.replaceAll('data:', ': inside\ndata:')}`],
  'data without a blank': [whole.replaceAll('data: ', 'data:')],
  'id, event and retry fields': [whole.replaceAll('data: ', 'id: 7\nevent: message\nretry: 10\ndata: ')],
  'unknown fields': [whole.replaceAll('data: ', 'DATA: x\nfoo: bar\nnothing\ndata: ')],
  'data on several lines': [whole.replaceAll('"choices":', '\ndata: "choices":')],
  'empty data': [`data:\n\ndata\n\n${whole}data: \n\n`],
  'no end mark': [...PARTS, FINISH],
  'an end mark with a trailing blank': [...PARTS, FINISH, 'data: [DONE] \n\n'],
  'an end mark without a line end': [...PARTS, FINISH, 'data: [DONE]'],
  'a last event without its blank line': [...PARTS, FINISH.trimEnd()],
  'an end mark without a finish_reason': [...PARTS, DONE],
  'an event after the end mark': [...PARTS, FINISH, DONE, event({ content: 'too late' })],
  'an unknown finish_reason and role': [event({ role: 'oracle' }), ...PARTS, event({}, 'stop')],
  'a role in each chunk, null content': [
    ...PARTS.map((part) => part.replace('{"content"', '{"role":"assistant","content"')),
    event({ content: null }),
    FINISH,
  ],
  'chunks without choices': [data({ id: 'c-1', usage: null }), ...PARTS, FINISH, data({ usage: USAGE })],
  'chunks without id and created': [
    ...PARTS.map((part) => part.replace('"id":"c-1",', '').replace('"created":1,', '')),
    FINISH,
  ],
  'usage in each chunk': [
    ...PARTS.map((part) =>
      part.replace('"choices"', '"usage":{"prompt_tokens":1,"completion_tokens":1},"choices"'),
    ),
    FINISH,
  ],
  'another choice beside the first': [
    ...PARTS.flatMap((part) => [part, part.replace('"index":0', '"index":1')]),
    FINISH,
  ],
  'a field that differs in each chunk': [
    ...PARTS.map((part, n) => part.replace('"created":1', `"created":${n}`)),
    FINISH,
  ],
  'escaped text': [
    ...PARTS.map((part) =>
      part.replace(/[^\p{ASCII}]/gu, (c) =>
        [...Array(c.length).keys()]
          .map((n) => `\\u${c.charCodeAt(n).toString(16).padStart(4, '0')}`)
          .join(''),
      ),
    ),
    FINISH,
  ],
  'finish_reason with the last text': [...PARTS.slice(0, 3), event({ content: '"you"\n' }, 'stop')],
};

describe('a stream is parsed with', () => {
  test.each(Object.entries(TOLERATED))('%s', async (_, pieces) => {
    await withServer(
      (socket) => stream(socket, pieces),
      async ({ upstream }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        expect(response.error).toBeUndefined();
        expect(response.end?.text).toBe(TEXT);
        expect(textOf(response)).toBe(TEXT);
      },
    );
  });

  test('a content type other than an event stream, ended only by closing the connection', async () => {
    await withServer(
      (socket) => void socket.end(`HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n${whole}`),
      async ({ upstream }) => {
        expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe(TEXT);
      },
    );
  });

  test('one JSON body instead of events, which is reported', async () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }];
    await withServer(
      (socket) => reply(socket, 200, { id: 'c-2', model: 'model-a', choices }),
      async ({ upstream }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        expect(textOf(response)).toBe(TEXT);
        expect(response.end).toMatchObject({ text: TEXT, streamed: false, id: 'c-2' });
      },
    );
  });
});
