import { expect, test } from '@jest/globals';
import { answerOf, chunk, data, DONE, event, lastChunk, streamHead, USAGE } from '../upstream/raw-server.ts';
import {
  QUESTION,
  asUpstreamError,
  readResponse,
  textOf,
  until,
  withServer,
} from '../upstream/raw-server-harness.ts';
import { completion, overBytes, streams, TEXT } from './over-bytes.ts';
import { onBytes } from './rows.ts';

const END = event({}, 'stop');
const say = event({ content: TEXT });

test(onBytes('STR-006'), async () => {
  await streams(answerOf(TEXT), (response) =>
    expect([textOf(response), response.end?.text]).toEqual([TEXT, TEXT]),
  );
  // Cut in two at each byte, so at each chunk boundary and inside each code point.
  const bytes = Buffer.from(answerOf(TEXT).join(''));
  await withServer(
    (socket, { body }) => {
      const at = Number(body['at']);
      streamHead(socket);
      chunk(socket, bytes.subarray(0, at));
      chunk(socket, bytes.subarray(at));
      lastChunk(socket);
    },
    async ({ upstream }) => {
      for (let at = 1; at < bytes.length; at += 1) {
        const { end } = await readResponse(upstream.chat.stream({ ...QUESTION, extra: { at } }));
        expect([at, end?.text, end?.usage?.completionTokens]).toEqual([at, TEXT, 5]);
      }
    },
  );
});

test(onBytes('STR-007'), () =>
  streams(
    [event({ reasoning_content: 'Hm, ' }), event({ reasoning_content: 'ü.' }), say, END],
    (response) => {
      expect([textOf(response, 'reasoning'), textOf(response)]).toEqual(['Hm, ü.', TEXT]);
      const kinds = response.events.map(({ type }) => type);
      expect(kinds[0]).toBe('reasoning');
      expect(kinds.lastIndexOf('reasoning')).toBeLessThan(kinds.indexOf('text'));
    },
  ),
);

test(onBytes('STR-008'), () =>
  streams([event({ reasoning: 'Hm, ü.' }), say, END], (response) =>
    expect([textOf(response, 'reasoning'), textOf(response)]).toEqual(['Hm, ü.', TEXT]),
  ),
);

test(onBytes('STR-010'), () =>
  streams([say, event({}, 'stop', { usage: USAGE })], ({ end }) =>
    expect(end?.usage).toMatchObject({ promptTokens: 7, completionTokens: 5 }),
  ),
);

test(onBytes('STR-011'), async () => {
  const usage = (n: number) => ({ usage: { prompt_tokens: 7, completion_tokens: n } });
  const places = [
    [say, event({}, 'stop', usage(5))],
    [say, END, data({ object: 'x', choices: [], ...usage(5) })],
    [event({ content: TEXT }, null, usage(1)), event({}, 'stop', usage(5))],
    [say, event({}, 'stop', usage(3)), data({ id: 'c-1', object: 'x', ...usage(5) })],
  ];
  for (const events of places)
    await streams(events, ({ end }) =>
      expect(end?.usage).toMatchObject({ promptTokens: 7, completionTokens: 5 }),
    );
  await streams([say, END], ({ end }) => expect([end?.text, end?.usage]).toEqual([TEXT, undefined]));
});

test(onBytes('STR-012'), async () => {
  await streams([say, END, DONE], ({ end }) => expect(end).toMatchObject({ text: TEXT, finish: 'stop' }));
  await streams([say, END], ({ end }) => expect(end).toMatchObject({ text: TEXT, finish: 'stop' }));
  await streams([say, DONE], ({ end }) => expect(end).toMatchObject({ text: TEXT, finish: 'unknown' }));
  await streams([say, END.trimEnd()], ({ end }) => expect(end).toMatchObject({ text: TEXT, finish: 'stop' }));
  await streams([say, END, DONE, event({ content: 'MORE' })], ({ end }) => expect(end?.text).toBe(TEXT));
});

test(onBytes('STR-013'), () =>
  streams([event({ role: 'assistant' }), say], ({ error, end }) => {
    expect(end).toBeUndefined();
    expect(asUpstreamError(error)).toMatchObject({
      kind: 'cut',
      code: 'no_finish_reason',
      partialText: TEXT,
    });
  }),
);

const call = (fragment: object) => event({ tool_calls: [fragment] });
const callOf = (name: string, args: string) => ({ type: 'function', function: { name, arguments: args } });
const more = (args: string) => ({ function: { arguments: args } });
const CALLS = [
  { id: 'a', name: 'f', arguments: '{"x":"ü"}' },
  { id: 'b', name: 'g', arguments: '{}' },
];

test(onBytes('STR-014'), () =>
  streams(
    [
      call({ index: 0, id: 'a', ...callOf('f', '') }),
      call({ index: 1, id: 'b', ...callOf('g', '') }),
      call({ index: 0, ...more('{"x":') }),
      call({ index: 1, ...more('{}') }),
      call({ index: 0, ...more('"ü"}') }),
      event({}, 'tool_calls'),
    ],
    ({ end }) => expect(end).toMatchObject({ finish: 'tool_calls', toolCalls: CALLS }),
  ),
);

test(onBytes('STR-015'), async () => {
  const forms = [
    [
      call({ index: 0, id: 'a', ...callOf('f', '{"x":"ü"}') }),
      call({ index: 0, id: 'b', ...callOf('g', '{}') }),
    ],
    [
      call({ id: 'a', ...callOf('f', '{"x":') }),
      call({ id: 'b', ...callOf('g', '{}') }),
      call({ id: 'a', ...more('"ü"}') }),
    ],
    [call({ id: 'a', ...callOf('f', '{"x"') }), call(more(':"ü"}')), call({ id: 'b', ...callOf('g', '{}') })],
    [
      call({ index: 0, id: 'a', ...callOf('f', '{"x":') }),
      call({ index: 0, id: null, function: { name: null, arguments: '"ü"' } }),
      call({ index: 0, id: '', function: { name: 'f', arguments: '}' } }),
      call({ index: 1, id: 'b', ...callOf('g', '') }),
    ],
  ];
  for (const events of forms)
    await streams([...events, END], ({ end }) => expect(end?.toolCalls).toEqual(CALLS));
  await streams([call({ index: 0, ...callOf('f', '{}') }), END], ({ end }) =>
    expect(end?.toolCalls).toEqual([{ id: 'call_0', name: 'f', arguments: '{}' }]),
  );
});

test(onBytes('STR-017'), async () => {
  const codes = [
    ['model_at_capacity', 'at-capacity'],
    ['rate_limit_exceeded', 'rate-limited'],
    ['insufficient_quota', 'quota'],
    ['503', 'server'],
    ['401', 'auth'],
    [null, 'server'],
  ];
  for (const [code, kind] of codes) {
    const broken = data({ error: { message: 'No, ü.', type: 'x', code } });
    await streams([say, broken, END, DONE], ({ error, end }) => {
      expect(end).toBeUndefined();
      expect(asUpstreamError(error)).toMatchObject({
        kind,
        partialText: TEXT,
        message: expect.stringContaining('No, ü.'),
      });
    });
  }
  await streams([say, `event: error\n${data({ message: 'No.' })}`, END], ({ error }) =>
    expect(asUpstreamError(error).kind).toBe('server'),
  );
});

test(onBytes('STR-018'), async () => {
  const noise = ': ping\n\n\n\n\nid: 7\nretry: 5\nfoo: bar\nnothing\n\ndata:\n\n';
  await streams([noise, say, noise, END, noise, DONE], ({ end }) =>
    expect(end).toMatchObject({ text: TEXT, finish: 'stop' }),
  );
});

test(onBytes('STR-019'), () => {
  const empty = data({ id: 'c-1', object: 'x', choices: [], usage: USAGE });
  return streams([empty, data({}), say, empty, END], ({ end }) => expect(end?.text).toBe(TEXT));
});

test(onBytes('STR-020'), () => streams([say, END], ({ end }) => expect(end?.text).toBe(TEXT)));

test(onBytes('STR-021'), () =>
  overBytes(
    () => completion(),
    async ({ upstream }) => {
      const { end, events } = await readResponse(upstream.chat.stream(QUESTION));
      expect(end).toMatchObject({ text: TEXT, streamed: false, usage: { promptTokens: 7 } });
      expect(events.map(({ type }) => type)).toEqual(['text', 'end']);
    },
  ),
);

test(onBytes('STR-022'), () =>
  overBytes(
    () => ({ events: [say], isOpen: true }),
    async ({ upstream, server }) => {
      const cancel = new AbortController();
      const events = upstream.chat.stream(QUESTION, { signal: cancel.signal });
      const { error } = await readResponse(events, () => cancel.abort(new Error('deleted')));
      expect(error).toEqual(new Error('deleted'));
      await until(() => server.open() === 0);
      // Leaving the loop cancels too.
      for await (const { type } of upstream.chat.stream(QUESTION)) {
        expect(type).toBe('text');
        break;
      }
      await until(() => server.open() === 0);
      expect(server.requests).toHaveLength(2);
    },
  ),
);

test(onBytes('GEN-020'), () => {
  const novelty = { novelty: { deep: [1, 'ü'] }, system_fingerprint: 'x', service_tier: null };
  return overBytes(
    () => ({
      events: [event({ content: TEXT, mood: 'good' }, null, novelty), event({}, 'stop', novelty)],
      headers: { 'x-novelty': 'yes' },
    }),
    async ({ upstream }) =>
      expect((await readResponse(upstream.chat.stream(QUESTION))).end).toMatchObject({
        text: TEXT,
        finish: 'stop',
      }),
  );
});

test(onBytes('GEN-021'), () =>
  streams([say, event({}, 'astonished')], ({ end }) => expect(end?.finish).toBe('astonished')),
);
