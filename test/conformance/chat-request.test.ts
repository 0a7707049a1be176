import { expect, test } from '@jest/globals';
import { pick, answerText, user } from '../simulators/upstream/test-client.ts';
import { readResponse } from '../upstream/raw-server-harness.ts';
import { row } from './rows.ts';
import { WEATHER_CALL } from './samples.ts';
import { bodyOf, ROOMY, service } from './service.ts';

const { sim, send, ask, outcomes, client, last } = service(ROOMY);

const HELLO = { model: 'model-c', messages: [{ role: 'user', content: 'hello' }] } as const;
const long = (tokens: number) => ({ messages: [user(`[[sim:tokens=${tokens}]]`)] });

test(row('CHAT-001'), async () => {
  expect(await outcomes({ model: 'model-a' }, { model: 7 })).toEqual(['200', '400 model']);
  await client().chat.complete(HELLO);
  expect(bodyOf(last())['model']).toBe('model-c');
});

test(row('CHAT-002'), async () => {
  const wrong = [{ model: undefined }, { model: null }, { model: 7 }, { model: ['model-a'] }];
  expect(await outcomes(...wrong)).toEqual(wrong.map(() => '400 model'));
});

test(row('CHAT-003'), async () => {
  const { status, json } = await ask({ model: 'model-z' });
  expect([status, pick(json, 'error', 'code')]).toEqual([404, 'model_not_found']);
});

test(row('CHAT-004'), async () => {
  const prefixed = ['vendor/vendor-flash-3', 'vendor:vendor-flash-3', '/vendor-flash-3'];
  for (const model of prefixed) expect((await ask({ model })).status).toBe(404);
});

test(row('CHAT-005'), async () => {
  expect(await outcomes({ messages: [user('a'), user('b')] }, { messages: user('a') })).toEqual([
    '200',
    '400 messages',
  ]);
  await client().chat.complete(HELLO);
  expect(bodyOf(last())['messages']).toEqual(HELLO.messages);
});

test(row('CHAT-006'), async () => {
  const wrong = [{ messages: undefined }, { messages: 'hello' }, { messages: {} }, { messages: [] }];
  expect(await outcomes(...wrong)).toEqual(wrong.map(() => '400 messages'));
});

test(row('CHAT-007'), async () => {
  expect(await outcomes({ stream: true }, { stream: false }, { stream: 'yes' }, { stream: 1 })).toEqual([
    '200',
    '200',
    '400 stream',
    '400 stream',
  ]);
  await client().chat.complete(HELLO);
  await readResponse(client().chat.stream(HELLO));
  expect(
    sim()
      .journal.slice(-2)
      .map(({ body }) => pick(body, 'stream')),
  ).toEqual([false, true]);
});

test(row('CHAT-008'), async () => {
  for (const patch of [{}, { stream: false }]) {
    const { headers, json } = await ask(patch);
    expect(headers['content-type']).toBe('application/json');
    expect(pick(json, 'choices', 0, 'message', 'role')).toBe('assistant');
  }
});

test(row('CHAT-009'), async () => {
  const { headers, events } = await ask({ stream: true });
  expect(headers['content-type']).toMatch(/^text\/event-stream/u);
  expect(events.length).toBeGreaterThan(2);
});

test(row('CHAT-010'), async () => {
  const { events } = await ask({ stream: true });
  expect(pick(events.at(-1), 'usage', 'prompt_tokens')).toBeGreaterThan(0);
  const { end } = await readResponse(client().chat.stream(HELLO));
  expect(end?.usage?.completionTokens).toBeGreaterThan(0);
});

test(row('CHAT-011'), async () => {
  const { json } = await ask({ max_tokens: 3, ...long(9) });
  expect(pick(json, 'usage', 'completion_tokens')).toBe(3);
  await client().chat.complete({ ...HELLO, maxTokens: 3 });
  expect(bodyOf(last())['max_tokens']).toBe(3);
  // Calls of tools count too.
  const called = await ask({ ...WEATHER_CALL, max_tokens: 4 });
  expect(pick(called.json, 'usage', 'completion_tokens')).toBe(4);
});

test(row('CHAT-012'), async () => {
  sim().control.setModel('model-c', { maxOutput: 5 });
  const { status, json } = await ask({ max_tokens: 100, ...long(50) });
  expect(status).toBe(200);
  expect(pick(json, 'usage', 'completion_tokens')).toBe(5);
  expect(pick(json, 'choices', 0, 'finish_reason')).toBe('length');
});

test(row('CHAT-013'), async () => {
  sim().control.setModel('model-c', { budget: 7 });
  expect(pick((await ask(long(50))).json, 'usage', 'completion_tokens')).toBe(7);
  expect(pick((await ask({ ...long(50), model: 'model-e' })).json, 'usage', 'completion_tokens')).toBe(50);
});

const spent = async (): Promise<unknown> => pick((await ask(long(3000))).json, 'usage', 'completion_tokens');

test(row('CHAT-014'), async () => {
  expect(await spent()).toBe(1024);
  sim().control.setModel('model-c', { maxOutput: 300 });
  expect(await spent()).toBe(300);
});

test(row('CHAT-015'), async () => {
  await client().chat.complete(HELLO);
  expect(bodyOf(last())['max_tokens']).toBe(4096);
  await client({ maxTokens: 900 }).chat.complete(HELLO);
  expect(bodyOf(last())['max_tokens']).toBe(900);
  sim().control.setModel('model-c', { maxOutput: 700 });
  await client({ fitToModel: true }).chat.complete(HELLO);
  expect(bodyOf(last())['max_tokens']).toBe(700);
});

test(row('CHAT-016'), async () => {
  const wrong = [1.5, 0, -1, '5', true].map((value) => ({ max_tokens: value }));
  expect(await outcomes(...wrong)).toEqual(wrong.map(() => '400 max_tokens'));
});

test(row('CHAT-032'), async () => {
  const words = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
  for (const reasoningEffort of words) {
    await client().chat.complete({ ...HELLO, model: 'model-a', reasoningEffort });
    expect([last().status, bodyOf(last())['reasoning_effort']]).toEqual([200, reasoningEffort]);
  }
  expect(await outcomes({ reasoning_effort: 'ultra' })).toEqual(['400 reasoning_effort']);
});

test(row('CHAT-033'), async () => {
  for (const effort of ['huge', '', 3]) {
    const { status, json } = await ask({ reasoning_effort: effort });
    expect([status, pick(json, 'error', 'code'), pick(json, 'error', 'param')]).toEqual([
      400,
      'invalid_value',
      'reasoning_effort',
    ]);
  }
});

/** Reasoning tokens of an answer, and whether it has a trace. */
async function reasoning(patch: Record<string, unknown>): Promise<[unknown, boolean]> {
  const { json } = await ask({ model: 'model-a', ...patch });
  const trace = pick(json, 'choices', 0, 'message', 'reasoning_content');
  return [pick(json, 'usage', 'reasoning_tokens'), typeof trace === 'string'];
}

test(row('CHAT-034'), async () => {
  for (const effort of ['low', 'high'])
    expect(await reasoning({ reasoning: { effort } })).toEqual(await reasoning({ reasoning_effort: effort }));
  expect(await reasoning({ reasoning: { effort: 'low' } })).not.toEqual(await reasoning({}));
});

test(row('CHAT-035'), async () => {
  const { status, json } = await ask({ reasoning: { effort: 'huge' } });
  expect([status, pick(json, 'error', 'code'), pick(json, 'error', 'param')]).toEqual([
    400,
    'invalid_value',
    'reasoning.effort',
  ]);
});

test(row('CHAT-036'), async () => {
  const tiers: unknown[] = [];
  for (const reasoning_effort of ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
    tiers.push((await reasoning({ reasoning_effort }))[0]);
  expect(tiers).toEqual(tiers.toSorted((a, b) => Number(a) - Number(b)));
  expect(new Set(tiers).size).toBe(tiers.length);
  expect(await reasoning({ reasoning_effort: 'none' })).toEqual([0, false]);
});

test(row('CHAT-037'), async () => {
  for (const model of ['model-c', 'model-e'])
    expect(await reasoning({ model, reasoning_effort: 'max' })).toEqual([0, false]);
});

test(row('CHAT-038'), async () => {
  for (const model of ['vendor-flash-3', 'vendor-edge-2603']) {
    const without = await ask({ model, temperature: 0 });
    const high = await ask({ model, temperature: 0, reasoning_effort: 'max' });
    expect(high.status).toBe(200);
    expect(answerText(high)).toBe(answerText(without));
    expect(pick(high.json, 'usage', 'reasoning_tokens')).toBe(0);
  }
});

test(row('CHAT-039'), async () => {
  const both = { reasoning_effort: 'minimal', reasoning: { effort: 'max' } };
  expect(await reasoning(both)).toEqual(await reasoning({ reasoning_effort: 'minimal' }));
  await client().chat.complete({ ...HELLO, model: 'model-a', reasoningEffort: 'low' });
  expect(bodyOf(last())).toMatchObject({ reasoning_effort: 'low' });
  expect(bodyOf(last())).not.toHaveProperty('reasoning');
});

const COUNTING = [user('[[sim:say=one two three four]]')];

test(row('CHAT-040'), async () => {
  expect(answerText(await ask({ messages: COUNTING, stop: 'three' }))).toBe('one two ');
  expect(answerText(await ask({ messages: COUNTING, stop: ['four', 'two'] }))).toBe('one ');
  const { text } = await client().chat.complete({
    ...HELLO,
    messages: [{ role: 'user', content: '[[sim:say=one two three]]' }],
    stop: ['three', 'x'],
  });
  expect([text, bodyOf(last())['stop']]).toEqual(['one two ', ['three', 'x']]);
});

test(row('CHAT-041'), async () => {
  const { json } = await ask({ messages: COUNTING, stop: 'two' });
  expect(pick(json, 'choices', 0)).toMatchObject({ finish_reason: 'stop', message: { content: 'one ' } });
});

test(row('CHAT-042'), async () => {
  expect(await outcomes({ stop: 3 }, { stop: ['a', 3] }, { stop: { a: 1 } })).toEqual([
    '400 stop',
    '400 stop',
    '400 stop',
  ]);
});

test(row('CHAT-072'), async () => {
  for (const body of ['{"model":', 'hello', '']) {
    const { status, json } = await send({ method: 'POST', body });
    expect([status, pick(json, 'error', 'type')]).toEqual([400, 'validation_error']);
  }
});

test(row('CHAT-073'), async () => {
  for (const body of ['[]', '7', 'null', '"x"']) {
    const { status, json } = await send({ body });
    expect([status, pick(json, 'error', 'message')]).toEqual([400, 'The body must be a JSON object.']);
  }
});

test(row('CHAT-074'), async () => {
  sim().control.setModel('model-c', { context: 100 });
  const { status, json } = await ask({ max_tokens: 98 });
  expect([status, pick(json, 'error', 'code')]).toEqual([400, 'context_length_exceeded']);
  expect((await ask({ max_tokens: 50 })).status).toBe(200);
});

test(row('CHAT-075'), async () => {
  sim().control.setModel('model-c', { context: 2000 });
  const upstream = client({ fitToModel: true });
  const content = 'word '.repeat(900);
  const { usage } = await upstream.chat.complete({ ...HELLO, messages: [{ role: 'user', content }] });
  const maxTokens = Number(bodyOf(last())['max_tokens']);
  expect(maxTokens).toBeLessThan(1024);
  expect((usage?.promptTokens ?? Infinity) + maxTokens).toBeLessThanOrEqual(2000);
  const tooLong = [{ role: 'user', content: content.repeat(4) }] as const;
  const before = sim().journal.length;
  await expect(upstream.chat.complete({ ...HELLO, messages: tooLong })).rejects.toMatchObject({
    kind: 'bad-request',
    code: 'context_length_exceeded',
  });
  expect(sim().journal).toHaveLength(before);
});

test(row('CHAT-076'), async () => {
  const others = { stream_options: { include_usage: true }, n: 3, user: 'u', parallel_tool_calls: false };
  const more = { max_completion_tokens: 5, service_tier: 'auto', store: false, metadata: {} };
  expect(await outcomes({ ...others, ...more })).toEqual(['200']);
  // Ignored: one answer of at least the length that it has without them.
  const plain = await ask({ temperature: 0 });
  const { json } = await ask({ temperature: 0, ...others, ...more });
  expect(pick(json, 'choices')).toEqual(pick(plain.json, 'choices'));
  expect(pick(json, 'usage')).toEqual(pick(plain.json, 'usage'));
});
