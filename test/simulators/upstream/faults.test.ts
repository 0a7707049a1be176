import { createServer } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { ask, pick, ROOMY, answerText, readAnswer, send, standing, user } from './test-client.ts';
import { createControl } from './control.ts';
import { directivesIn, withoutDirectives } from './directives.ts';
import { startUpstreamSimulator } from './index.ts';
import type { Fault } from './index.ts';
import { parseJson } from './json.ts';
import type { JsonObject } from './json.ts';
import type { StreamShape } from './stream/shape.ts';

const { core } = standing(ROOMY);
const control = createControl(() => core);

/** The steps of a streamed answer that a fault strikes. */
function struck(fault: Fault, patch: JsonObject = {}) {
  control.fail(fault);
  const body = { model: 'model-c', messages: [user('[[sim:say=a b c d e f]]')], stream: true, ...patch };
  const { answer } = core.chat(body);
  return { ...readAnswer(answer), answer, kinds: answer.steps.map(({ kind }) => kind) };
}

function shaped(shape: StreamShape, patch: JsonObject = {}) {
  return struck({ kind: 'shape', shape }, patch);
}

describe('a stream fault', () => {
  test('of a cut, an early end or a silence stops it after the given number of events, without a finish', () => {
    for (const kind of ['cut', 'eof', 'silence'] as const) {
      const { events, kinds, text } = struck({ kind, after: 3 });
      expect(events.map((event) => pick(event, 'choices', 0, 'finish_reason'))).toEqual([null, null, null]);
      expect(text).not.toContain('[DONE]');
      expect(kinds.slice(3)).toEqual(kind === 'eof' ? [] : [kind]);
    }
  });

  test('of malformed JSON is in the middle, and the rest follows', () => {
    const { text } = struck({ kind: 'malformed', after: 2 });
    expect(text.split('\n\n')[2]).toBe('data: {"id":"broken","choices":[{"delta":');
    expect(text).toContain('[DONE]');
  });

  test.each(['data', 'event', 'object', 'finish'] as const)('of an error in the form %s ends it', (form) => {
    const { text } = struck({ kind: 'error-event', form, after: 2 });
    const events = text.trim().split('\n\n');
    expect(events).toHaveLength(3);
    expect(events[2]?.startsWith('event: error\n')).toBe(form === 'event');
    expect(events[2]).toContain('The answer could not be finished.');
  });

  test('replaces the stream by a whole body or a page', () => {
    expect(answerText(struck({ kind: 'json' }))).toBe('a b c d e f');
    expect(struck({ kind: 'html' }).answer.headers['content-type']).toBe('text/html');
  });

  test('sends nothing at all', () => {
    expect(struck({ kind: 'refuse' }).answer).toMatchObject({ head: false, steps: [{ kind: 'cut' }] });
    expect(struck({ kind: 'hang' }).answer).toMatchObject({ head: false, steps: [{ kind: 'silence' }] });
    expect(struck({ kind: 'late', ms: 70 }).answer.delayMs).toBe(70);
  });

  test('delays each event', () => {
    const { answer } = struck({ kind: 'slow', ms: 9 });
    expect(answer.steps.filter(({ kind }) => kind === 'wait')).toHaveLength(answer.steps.length / 2 - 0.5);
  });

  test('sends the usage long after the end', () => {
    const { answer, kinds } = struck({ kind: 'late-usage', ms: 900 });
    expect(kinds.slice(-4)).toEqual(['bytes', 'wait', 'bytes', 'bytes']);
    expect(answer.steps.find(({ kind }) => kind === 'wait')).toEqual({ kind: 'wait', ms: 900 });
  });

  test('of a model that thinks sends the head and comments long before the answer', () => {
    const { answer, kinds } = struck({ kind: 'think', ms: 2_500, pingMs: 1_000 });
    expect(kinds.slice(0, 7)).toEqual(['bytes', 'wait', 'bytes', 'wait', 'bytes', 'wait', 'bytes']);
    expect(answer.steps.flatMap((step) => (step.kind === 'wait' ? [step.ms] : []))).toEqual([
      1000, 1000, 500,
    ]);
    expect(answerText(readAnswer(answer))).toBe('a b c d e f');
    expect(struck({ kind: 'think', ms: 900 }).kinds.slice(0, 3)).toEqual(['bytes', 'wait', 'bytes']);
  });

  test('also cuts, silences or breaks an answer without streaming', () => {
    expect(struck({ kind: 'cut' }, { stream: false }).kinds).toEqual(['bytes', 'cut']);
    expect(struck({ kind: 'silence' }, { stream: false }).kinds).toEqual(['bytes', 'silence']);
    const { text, headers } = struck({ kind: 'malformed' }, { stream: false });
    expect(parseJson(text)).toBeUndefined();
    expect(headers['content-length']).toBeUndefined();
  });
});

describe('a stream in another format', () => {
  test.each<[StreamShape, RegExp]>([
    [{ newline: 'crlf' }, /^data: \{.*\}\r\n\r\n/u],
    [{ newline: 'cr' }, /^data: \{.*\}\r\rdata/u],
    [{ newline: 'mixed' }, /\}\n\ndata: .*\}\r\n\r\ndata: .*\}\r\rdata/u],
    [{ bom: true }, /^\u{FEFF}data: /u],
    [{ comments: 'blocks' }, /^: ping\n\ndata: /u],
    [{ comments: 'inside' }, /^: ping\ndata: /u],
    [{ data: 'no-blank' }, /^data:\{[^]*\ndata:\[DONE\]\n\n$/u],
    [{ data: 'multiline' }, /^data: \{"id":"[^"]*",\ndata: "object"/u],
    [{ fields: true }, /^id: 0\nevent: message\nretry: 3000\ndata: /u],
    [{ emptyData: true }, /\n\ndata:\n\n/u],
    [{ done: 'blank' }, /\[DONE\] \n\n$/u],
    [{ done: 'open' }, /\[DONE\]$/u],
    [{ done: 'no' }, /\}\n\n$/u],
    [{ done: 'no', lastNewline: false }, /\}$/u],
    [{ done: 'more' }, /\[DONE\]\n\ndata: .*AFTER THE END/u],
    [{ usage: 'finish' }, /"finish_reason":"stop"[^]*"usage":\{[^\n]*\n\ndata: \[DONE\]/u],
    [{ usage: 'null' }, /^data: .*"usage":null/u],
    [{ usage: 'every' }, /^data: .*"usage":\{/u],
    [{ finish: 'content_filter' }, /"finish_reason":"content_filter"/u],
  ])('%j', (shape, pattern) => {
    expect(shaped(shape).text).toMatch(pattern);
  });

  test('omits the optional parts', () => {
    expect(shaped({ usage: 'none' }).text).not.toContain('usage');
    expect(shaped({ usage: 'no-choices' }).events.at(-1)).not.toHaveProperty('choices');
    expect(shaped({ role: 'none' }).text).not.toContain('role');
    expect(shaped({ ids: false }).text).not.toMatch(/"id"|"created"/u);
    expect(shaped({ contentType: 'text/plain' }).headers['content-type']).toBe('text/plain');
  });

  test('has the same meaning byte by byte', () => {
    const { text, kinds, answer } = shaped({ split: 1 });
    expect(answer.steps.every((step) => step.kind === 'bytes' && step.bytes.length === 1)).toBe(true);
    expect(kinds).toHaveLength(Buffer.byteLength(text));
  });

  test('has reasoning under other names and before the role', () => {
    const patch = { model: 'model-d' };
    expect(shaped({ reasoning: 'reasoning' }, patch).text).not.toContain('reasoning_content');
    expect(shaped({ reasoning: 'both' }, patch).text).toMatch(/"reasoning_content":.*"reasoning":/u);
    expect(shaped({ role: 'late' }, patch).text).toMatch(/reasoning_content[^]*"role":"assistant"/u);
  });

  test.each<[StreamShape['tools'], unknown[]]>([
    [
      'whole',
      [
        { index: 0, id: expect.any(String), type: 'function', function: { name: 'a', arguments: '{}' } },
        expect.objectContaining({ index: 1 }),
      ],
    ],
    ['same-index', [expect.objectContaining({ index: 0 }), expect.objectContaining({ index: 0 })]],
    ['object', [expect.objectContaining({ function: { name: 'a', arguments: {} } }), expect.anything()]],
  ])('has tool calls %s', (tools, expected) => {
    const tool = {
      type: 'function',
      function: { name: 'a', parameters: { type: 'object', properties: {} } },
    };
    const patch = { messages: [user('[[sim:tools=2]]')], tools: [tool] };
    const { events } = shaped(tools === undefined ? {} : { tools }, patch);
    const calls = events.map((event) => pick(event, 'choices', 0, 'delta', 'tool_calls', 0));
    expect(calls.filter((call) => call !== undefined)).toEqual(expected);
  });
});

describe('a fault occurs', () => {
  test('the given number of times, after a number, by a share, or for a text', () => {
    control.clearFaults();
    const statuses = (count: number, content = 'x'): number[] =>
      Array.from({ length: count }, () => ask(core, { messages: [user(content)] }).status);
    control.addFault({ fault: { kind: 'error', status: 500 }, skip: 1, times: 2 });
    expect(statuses(5)).toEqual([200, 500, 500, 200, 200]);
    control.clearFaults();
    control.addFault({ fault: { kind: 'error', status: 500 }, rate: 0.25 });
    const failed = statuses(400).filter((status) => status === 500).length;
    expect(Math.abs(failed - 100)).toBeLessThan(30);
    control.clearFaults();
    control.addFault({ fault: { kind: 'limited', retryAfter: 7 }, containing: 'banana' });
    expect([...statuses(1), ...statuses(1, 'a banana')]).toEqual([200, 429]);
    control.clearFaults();
    control.addFault({ fault: { kind: 'error', status: 500, body: 'html' }, path: '/v1/models' });
    expect([...statuses(1), send(core, { path: '/v1/models' }).status]).toEqual([200, 500]);
    control.clearFaults();
  });

  test('when the question contains its directive', () => {
    const status = (content: string): number => ask(core, { messages: [user(content)] }).status;
    expect([status('[[sim:error=418]] a'), status('[[sim:quota]] b'), status('[[sim:capacity]] c')]).toEqual([
      418, 429, 429,
    ]);
    const passing = '[[sim:error=500 times=2]] d';
    expect([status(passing), status(passing), status(passing)]).toEqual([500, 500, 200]);
    expect(ask(core, { messages: [user('[[sim:quota]]')] }).headers['retry-after']).toBeUndefined();
    const shape = ask(core, { stream: true, messages: [user('[[sim:shape newline=crlf fields=true]] e')] });
    expect(shape.text).toMatch(/^id: 0\r\nevent/u);
    control.fail({ kind: 'say', text: 'not what was asked' });
    expect(answerText(ask(core, { messages: [user('f')] }))).toBe('not what was asked');
  });

  test('and its directive is removed from the answer', () => {
    const text = 'tell [[sim:tokens=5]] me [[sim:error=429 times=1 retry=2]] now';
    expect(directivesIn(text)).toEqual([
      { name: 'tokens', value: '5', options: {} },
      { name: 'error', value: '429', options: { times: '1', retry: '2' } },
    ]);
    expect(withoutDirectives(text)).toBe('tell me now');
    expect(answerText(ask(core, { messages: [user('[[sim:echo]] tell me')] }))).toBe('tell me');
    const code = 'def f(a):\n    return a  # as is\n\n\tand a tab';
    expect(answerText(ask(core, { messages: [user(`[[sim:echo]]\n${code}`)] }))).toBe(code);
  });
});

function bytes(seed: number): string {
  const { core: own } = standing({ seed });
  return [1, 2].map(() => ask(own, { stream: true, messages: [user('Why is the sky blue?')] }).text).join('');
}

test.each<[string, string]>([
  ['a path that is not a URL', '//'],
  ['a path with wrong escapes', '/v1/videos/%E0%A4%A'],
  ['no path', '*'],
])('%s is 4xx', (_title, path) => {
  const { status } = send(core, { path, headers: { 'x-api-key': 'sim-key-local' } });
  expect(status).toBe(404);
});

test('a recursive schema and a question of brackets only end soon', () => {
  const schema = {
    $ref: '#/$defs/a',
    $defs: { a: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, required: ['a'] } },
  };
  const format = { type: 'json_schema', json_schema: { name: 'x', schema } };
  expect(ask(core, { response_format: format }).status).toBe(200);
  expect(ask(core, { messages: [user('('.repeat(40_000))] }).status).toBe(200);
});

test('the same seed and requests give the same bytes', () => {
  expect(bytes(5)).toBe(bytes(5));
  expect(bytes(5)).not.toBe(bytes(6));
});

test('GEN-019 keys are issued and revoked through the control interface', async () => {
  const sim = await startUpstreamSimulator({ paceMs: 0, clock: () => 0 });
  const models = async (key: string) =>
    (await fetch(`${sim.baseUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
  const issue = async (status: string) =>
    fetch(`${sim.baseUrl}/__sim/keys`, { method: 'POST', body: JSON.stringify({ key: 'fresh', status }) });
  expect(await models('fresh')).toBe(401);
  await issue('active');
  expect(await models('fresh')).toBe(200);
  await issue('revoked');
  expect(await models('fresh')).toBe(401);
  expect(JSON.stringify(await (await fetch(`${sim.baseUrl}/__sim/journal`)).json())).not.toContain(
    'Bearer fresh',
  );
  await sim.close();
});

test('VIS-031 a webhook is posted when the clock says so', async () => {
  const posted: string[] = [];
  const { promise: arrival, resolve: arrived } = Promise.withResolvers<void>();
  const bot = createServer((request, response) => {
    request.on('data', (part) => posted.push(String(part)));
    request.on('end', () => {
      response.end();
      arrived();
    });
  });
  await new Promise<void>((resolve) => {
    bot.listen(0, '127.0.0.1', resolve);
  });
  const address = bot.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const sim = await startUpstreamSimulator({ clock: () => 0 });
  const submitted = await fetch(`${sim.visionUrl}/v2/inference/model-a-video/image-to-video`, {
    method: 'POST',
    headers: { 'x-api-key': sim.apiKey },
    body: JSON.stringify({ input: { prompt: 'move' }, webhook_url: `http://127.0.0.1:${port}/hook` }),
  });
  expect(submitted.status).toBe(202);
  expect(posted).toEqual([]);
  sim.control.advance(60_000);
  await arrival;
  await sim.deliverWebhooks();
  expect(posted).toHaveLength(1);
  expect(JSON.parse(posted[0] ?? '')).toMatchObject({ status: 'OK' });
  expect(sim.control.deliveries()).toMatchObject([{ done: true, answers: [200] }]);
  await sim.close();
  bot.closeAllConnections();
  bot.close();
});
