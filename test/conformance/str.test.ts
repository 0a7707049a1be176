import { expect, test } from '@jest/globals';
import { pick, answerText, user } from '../simulators/upstream/test-client.ts';
import type { JsonObject } from '../simulators/upstream/json.ts';
import { chunk, data, DONE, event, reply, stream, streamHead, USAGE } from '../upstream/raw-server.ts';
import {
  QUESTION,
  asUpstreamError,
  readResponse,
  type ReadResponse,
  textOf,
  until,
  withServer,
} from '../upstream/raw-server-harness.ts';
import { row } from './rows.ts';
import { ROOMY, service } from './service.ts';

const { sim, ask, client } = service(ROOMY);

const HELLO = { model: 'model-c', messages: [{ role: 'user', content: 'hello' }] } as const;
const WORDS = [user('[[sim:say=one two three]]')];
const TOOLS = [
  { type: 'function', function: { name: 'find', parameters: { type: 'object', properties: {} } } },
];

const streamed = (patch: JsonObject = {}) => ask({ stream: true, messages: WORDS, ...patch });

/** What the client makes of a stream of these pieces. */
async function understood(...pieces: readonly (string | Buffer)[]): Promise<ReadResponse> {
  return withServer(
    (socket) => stream(socket, pieces),
    async ({ upstream }) => readResponse(upstream.chat.stream(QUESTION)),
  );
}

test(row('STR-001'), async () => {
  const { status, headers, text } = await streamed();
  expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  expect(text.split('\n\n').every((part) => part === '' || part.startsWith('data: '))).toBe(true);
});

test(row('STR-002'), async () => {
  const { events, text } = await streamed();
  const kinds = new Set(events.map(({ object }) => object));
  expect(kinds).toEqual(new Set(['chat.completion.chunk']));
  expect(events).toHaveLength(text.split('data: ').length - 2);
});

test(row('STR-003'), async () => {
  for (const each of (await streamed({ model: 'model-a' })).events) {
    const { id, object, created, model, choices } = each;
    const kinds = [typeof id, typeof object, typeof created, typeof model, Array.isArray(choices)];
    expect(kinds).toEqual(['string', 'string', 'number', 'string', true]);
  }
});

test(row('STR-004'), async () => {
  const { events } = await streamed();
  const heads = events.map(({ id, created, model }) => JSON.stringify([id, created, model]));
  expect(new Set(heads).size).toBe(1);
});

test(row('STR-005'), async () => {
  const { events } = await streamed();
  const choices = events.map((each) => pick(each, 'choices', 0)).filter((choice) => choice !== undefined);
  expect(choices.length).toBeGreaterThan(3);
  for (const choice of choices) {
    expect(choice).toHaveProperty('delta');
    expect(choice).not.toHaveProperty('message');
  }
});

test(row('STR-006'), async () => {
  const once = { seed: 1, messages: [user('Tell me a joke, please.')] };
  expect(answerText(await streamed(once))).toBe(answerText(await ask(once)));
  const request = {
    ...HELLO,
    messages: [{ role: 'user', content: '[[sim:say=one two, thrée 👋]]' }],
  } as const;
  const answer = await readResponse(client().chat.stream(request));
  expect(textOf(answer)).toBe('one two, thrée 👋');
  expect(answer.end?.text).toBe('one two, thrée 👋');
});

test(row('STR-007'), async () => {
  const { events } = await streamed({ model: 'model-a' });
  const deltas = events.map((each) => pick(each, 'choices', 0, 'delta'));
  const thought = deltas.findLastIndex((delta) => typeof pick(delta, 'reasoning_content') === 'string');
  const firstContent = deltas.findIndex((delta) => Boolean(pick(delta, 'content')));
  expect(thought).toBeGreaterThan(0);
  expect(firstContent).toBeGreaterThan(thought);
  const answer = await readResponse(client().chat.stream({ ...HELLO, model: 'model-a' }));
  const kinds = answer.events.map(({ type }) => type);
  expect(kinds.indexOf('reasoning')).toBe(0);
  expect(kinds.lastIndexOf('reasoning')).toBeLessThan(kinds.indexOf('text'));
});

test(row('STR-008'), async () => {
  const answer = await understood(event({ reasoning: 'Hm.' }), event({ content: 'Yes.' }), event({}, 'stop'));
  expect([textOf(answer, 'reasoning'), textOf(answer)]).toEqual(['Hm.', 'Yes.']);
});

test(row('STR-009'), async () => {
  const { events } = await streamed();
  const reasons = events.flatMap((each) => {
    const choice = pick(each, 'choices', 0);
    return choice === undefined ? [] : [pick(choice, 'finish_reason')];
  });
  expect(reasons.at(-1)).toBe('stop');
  expect(reasons.slice(0, -1).every((reason) => reason === null)).toBe(true);
});

test(row('STR-010'), async () => {
  const { events } = await streamed();
  expect(events.map((each) => pick(each, 'usage') !== undefined)).toEqual(
    events.map((_, at) => at === events.length - 1),
  );
  expect((await readResponse(client().chat.stream(HELLO))).end?.usage?.promptTokens).toBeGreaterThan(0);
});

test(row('STR-011'), async () => {
  const usage = (n: number) => ({ usage: { prompt_tokens: 7, completion_tokens: n } });
  const hi = (n?: number) => event({ content: 'Hi' }, null, n === undefined ? {} : usage(n));
  const places = [
    [hi(), event({}, 'stop', usage(5))],
    [hi(), event({}, 'stop'), data({ choices: [], ...usage(5) })],
    [hi(1), hi(2), event({}, 'stop', usage(5))],
    [hi(), event({}, 'stop'), data(usage(5))],
  ];
  for (const pieces of places)
    expect((await understood(...pieces)).end?.usage).toMatchObject({ promptTokens: 7, completionTokens: 5 });
  expect((await understood(hi(), event({}, 'stop'))).end).toMatchObject({
    text: expect.any(String),
    usage: undefined,
  });
});

test(row('STR-012'), async () => {
  expect((await streamed()).text.endsWith('data: [DONE]\n\n')).toBe(true);
  sim().control.change({ shape: { done: 'no' } });
  expect((await streamed()).text).not.toContain('[DONE]');
  expect((await readResponse(client().chat.stream(HELLO))).end?.finish).toBe('stop');
  expect((await understood(event({ content: 'Hi' }), DONE)).end).toMatchObject({
    text: 'Hi',
    finish: 'unknown',
  });
});

test(row('STR-013'), async () => {
  const { error, end } = await understood(event({ role: 'assistant' }), event({ content: 'Half an ans' }));
  expect(end).toBeUndefined();
  expect(asUpstreamError(error)).toMatchObject({
    kind: 'cut',
    code: 'no_finish_reason',
    partialText: 'Half an ans',
  });
});

test(row('STR-014'), async () => {
  const { events } = await streamed({ tools: TOOLS, messages: [user('[[sim:tools=2]]')] });
  const fragments = events.flatMap((each) => pick(each, 'choices', 0, 'delta', 'tool_calls') ?? []);
  const withId = fragments.filter((one) => pick(one, 'id') !== undefined);
  expect(withId).toEqual(
    [0, 1].map((index) => ({
      index,
      id: expect.stringMatching(/^call_/u),
      type: 'function',
      function: { name: 'find', arguments: '' },
    })),
  );
  expect(fragments.length).toBeGreaterThan(withId.length);
  expect(fragments.every((one) => typeof pick(one, 'index') === 'number')).toBe(true);
});

const call = (fragment: object) => event({ tool_calls: [fragment] });
const toolCall = (args: unknown, name?: string) => ({ function: { ...(name && { name }), arguments: args } });

test(row('STR-015'), async () => {
  const forms: Readonly<Record<string, readonly string[]>> = {
    'by index': [
      call({ index: 0, id: 'a', ...toolCall('', 'f') }),
      call({ index: 1, id: 'b', ...toolCall('', 'g') }),
      call({ index: 0, ...toolCall('{"x":') }),
      call({ index: 1, ...toolCall('{}') }),
      call({ index: 0, ...toolCall('1}') }),
    ],
    'whole, all at index 0': [
      call({ index: 0, id: 'a', ...toolCall('{"x":1}', 'f') }),
      call({ index: 0, id: 'b', ...toolCall('{}', 'g') }),
    ],
    'by id': [
      call({ id: 'a', ...toolCall('{"x":', 'f') }),
      call({ id: 'b', ...toolCall('{}', 'g') }),
      call({ id: 'a', ...toolCall('1}') }),
    ],
    'into the last': [
      call({ id: 'a', ...toolCall('{"x"', 'f') }),
      call(toolCall(':1}')),
      call({ id: 'b', ...toolCall('{}', 'g') }),
    ],
    'with nulls and repetitions': [
      call({ index: 0, id: 'a', ...toolCall('{"x":', 'f') }),
      call({ index: 0, id: null, function: { name: null, arguments: '1' } }),
      call({ index: 0, id: '', ...toolCall('}', 'f') }),
      call({ index: 1, id: 'b', ...toolCall('{}', 'g') }),
    ],
    'as objects': [
      call({ index: 0, id: 'a', ...toolCall({ x: 1 }, 'f') }),
      call({ index: 1, id: 'b', ...toolCall({}, 'g') }),
    ],
  };
  for (const [form, pieces] of Object.entries(forms)) {
    const { end } = await understood(...pieces, event({}, 'stop'));
    expect([form, end?.toolCalls]).toEqual([
      form,
      [
        { id: 'a', name: 'f', arguments: '{"x":1}' },
        { id: 'b', name: 'g', arguments: '{}' },
      ],
    ]);
  }
});

test(row('STR-016'), async () => {
  sim().control.fail({ kind: 'error', status: 503 });
  const { status, headers } = await streamed();
  expect([status, headers['content-type']]).toEqual([503, 'application/json']);
  expect((await streamed({ model: 'nope' })).headers['content-type']).toBe('application/json');
});

test(row('STR-017'), async () => {
  const codes = [
    ['model_at_capacity', 'at-capacity'],
    ['rate_limit_exceeded', 'rate-limited'],
    ['insufficient_quota', 'quota'],
    ['internal_error', 'server'],
    [null, 'server'],
  ];
  for (const [code, kind] of codes) {
    const broken = data({ error: { message: 'No.', type: 'x', code } });
    const { error } = await understood(event({ content: 'Half' }), broken, event({}, 'stop'));
    expect(asUpstreamError(error)).toMatchObject({ kind, partialText: 'Half' });
  }
});

test(row('STR-018'), async () => {
  const noise = ': ping\n\n\n\n\nid: 7\nretry: 5\nfoo: bar\nnothing\n\ndata:\n\n';
  const { end } = await understood(noise, event({ content: 'Hi' }), noise, event({}, 'stop'), noise, DONE);
  expect(end).toMatchObject({ text: 'Hi', finish: 'stop' });
});

test(row('STR-019'), async () => {
  const empty = data({ choices: [], usage: USAGE });
  const { end } = await understood(empty, data({}), event({ content: 'Hi' }), empty, event({}, 'stop'));
  expect(end?.text).toBe('Hi');
});

test(row('STR-020'), async () => {
  const { end } = await understood(event({ content: 'Hi' }), event({}, 'stop'));
  expect(end?.text).toBe('Hi');
  sim().control.change({ shape: { role: 'none' } });
  expect((await readResponse(client().chat.stream(HELLO))).end?.finish).toBe('stop');
});

test(row('STR-021'), async () => {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }];
  await withServer(
    (socket) => reply(socket, 200, { id: 'c-1', choices, usage: USAGE }),
    async ({ upstream }) => {
      const { end } = await readResponse(upstream.chat.stream(QUESTION));
      expect(end).toMatchObject({ text: 'Hi', streamed: false, usage: { promptTokens: 7 } });
    },
  );
  expect((await readResponse(client().chat.stream(HELLO))).end?.streamed).toBe(true);
});

test(row('STR-022'), async () => {
  await withServer(
    (socket) => {
      streamHead(socket);
      chunk(socket, event({ content: 'Half' }));
    },
    async ({ upstream, server }) => {
      const cancel = new AbortController();
      const events = upstream.chat.stream(QUESTION, { signal: cancel.signal });
      const { error } = await readResponse(events, () => cancel.abort(new Error('deleted')));
      expect(error).toEqual(new Error('deleted'));
      await until(() => server.open() === 0);
      expect(server.requests).toHaveLength(1);
    },
  );
});

test(row('STR-023'), async () => {
  for (const model of ['model-a', 'model-c']) {
    const { text } = await streamed({ model });
    expect(text).not.toMatch(/data:\s*\n|"usage":null/u);
    expect(text.split('\n\n').filter((part) => part === '')).toHaveLength(1);
  }
});
