import { expect, test } from '@jest/globals';
import { pick, answerText, user } from '../simulators/upstream/test-client.ts';
import type { JsonObject } from '../simulators/upstream/json.ts';
import { row } from './rows.ts';
import { bodyOf, ROOMY, service } from './service.ts';

const { sim, send, ask, legacy, legacyOutcomes, client, last } = service(ROOMY);

const PLACE = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] };
const TOOL = { name: 'get_weather', parameters: PLACE };
const HELLO = { model: 'vendor-flash', messages: [{ role: 'user', content: 'hello' }] } as const;

const older = () => client({ shape: 'legacy' });
const WHY = [user('Why is the sky blue?')];

/** The answers to six identical requests. */
async function six(patch: JsonObject): Promise<Set<string>> {
  const answers = new Set<string>();
  for (let n = 0; n < 6; n += 1) answers.add(answerText(await legacy({ messages: WHY, ...patch })));
  return answers;
}

/** With one seed, the answer without a field is that with null and with its default, and another value gives another answer. */
async function hasDefault(name: string, value: number, other: number): Promise<void> {
  const answerTo = async (patch: JsonObject): Promise<string> =>
    answerText(await legacy({ messages: WHY, seed: 4, ...patch }));
  const omitted = await answerTo({});
  expect(await answerTo({ [name]: null })).toBe(omitted);
  expect(await answerTo({ [name]: value })).toBe(omitted);
  expect(await answerTo({ [name]: other })).not.toBe(omitted);
}

test(row('LEG-001'), async () => {
  expect(pick((await legacy()).json, 'usage')).toHaveProperty('input_tokens');
  await older().chat.complete(HELLO);
  expect([last().status, last().path, last().headers['authorization']]).toEqual([
    200,
    '/v1/chat/completions',
    undefined,
  ]);
  expect(last().headers).toHaveProperty('x-api-key');
});

test(row('LEG-002'), async () => {
  const key = sim().apiKey;
  const both = { authorization: `Bearer ${key}`, 'x-api-key': key };
  const body = { model: 'vendor-flash', messages: [user('hello')] };
  expect(pick((await send({ headers: both, body })).json, 'object')).toBe('chat.completion');
  expect((await legacy()).json).not.toHaveProperty('object');
  expect(pick((await ask()).json, 'object')).toBe('chat.completion');
  await client().chat.complete(HELLO);
  expect(last().headers).not.toHaveProperty('x-api-key');
});

test(row('LEG-003'), async () => {
  expect(await legacyOutcomes({}, { messages: undefined }, { model: undefined }, { messages: 'x' })).toEqual([
    '200',
    '422 messages',
    '422 model',
    '422 messages',
  ]);
  await older().chat.complete(HELLO);
  expect(bodyOf(last())).toMatchObject({ model: 'vendor-flash', messages: HELLO.messages });
});

test(row('LEG-004'), async () => {
  expect(pick((await legacy({ model: 'vendor-flash' })).json, 'model')).toBe('vendor-flash');
  expect((await older().chat.complete(HELLO)).model).toBe('vendor-flash');
});

test(row('LEG-005'), async () => {
  const values = [null, 0, 1.5, 'x'].map((value) => ({ frequency_penalty: value }));
  expect(await legacyOutcomes(...values)).toEqual(['200', '200', '200', '422 frequency_penalty']);
  await hasDefault('frequency_penalty', 0, 1.5);
});

test(row('LEG-006'), async () => {
  const values = [null, 0, 1.5, 'x'].map((value) => ({ presence_penalty: value }));
  expect(await legacyOutcomes(...values)).toEqual(['200', '200', '200', '422 presence_penalty']);
  await hasDefault('presence_penalty', 0, 1.5);
});

const spent = async (patch: JsonObject): Promise<unknown> =>
  pick((await legacy({ messages: [user('[[sim:tokens=3000]]')], ...patch })).json, 'usage', 'output_tokens');

test(row('LEG-007'), async () => {
  expect([await spent({}), await spent({ max_tokens: null }), await spent({ max_tokens: 7 })]).toEqual([
    1024, 1024, 7,
  ]);
  // Calls of tools count too.
  const cut = { tools: [TOOL], tool_choice: 'tool', max_tokens: 3 };
  const { json } = await legacy(cut);
  expect([pick(json, 'usage', 'output_tokens'), pick(json, 'choices', 0, 'finish_reason')]).toEqual([
    3,
    'length',
  ]);
  const whole = await legacy({ ...cut, max_tokens: null });
  expect(pick(whole.json, 'choices', 0, 'finish_reason')).toBe('stop');
  expect(await legacyOutcomes({ max_tokens: 'x' }, { max_tokens: 1.5 })).toEqual([
    '422 max_tokens',
    '422 max_tokens',
  ]);
});

test(row('LEG-008'), async () => {
  sim().control.setModel('vendor-flash', { context: 100 });
  const { status, json } = await legacy({ messages: [user('[[sim:tokens=3000]]')], max_tokens: 2000 });
  const total = Number(pick(json, 'usage', 'input_tokens')) + Number(pick(json, 'usage', 'output_tokens'));
  expect([status, total]).toEqual([200, 100]);
});

test(row('LEG-009'), async () => {
  expect((await six({ seed: 4 })).size).toBe(1);
  expect((await six({ seed: null })).size).toBeGreaterThan(1);
  expect(await six({ seed: 4 })).not.toEqual(await six({ seed: 11 }));
});

test(row('LEG-010'), async () => {
  expect(await legacyOutcomes({ stop: ['a'] }, { stop: null }, { stop: 'a' }, { stop: [1] })).toEqual([
    '200',
    '200',
    '422 stop',
    '422 stop',
  ]);
  const messages = [{ role: 'user', content: '[[sim:say=one two three]]' }] as const;
  const { text } = await older().chat.complete({ ...HELLO, messages, stop: 'three' });
  expect([text, bodyOf(last())['stop']]).toEqual(['one two ', ['three']]);
});

test(row('LEG-011'), async () => {
  expect((await legacy({ stream: true })).events.length).toBeGreaterThan(1);
  expect((await legacy()).headers['content-type']).toBe('application/json');
  expect((await legacy({ stream: false })).headers['content-type']).toBe('application/json');
  expect(await legacyOutcomes({ stream: 'yes' })).toEqual(['422 stream']);
});

test(row('LEG-012'), async () => {
  const values = [null, 0, 0.4, 2, 'x'].map((value) => ({ temperature: value }));
  expect(await legacyOutcomes(...values)).toEqual(['200', '200', '200', '200', '422 temperature']);
  expect((await six({ temperature: null })).size).toBeGreaterThan(1);
});

test(row('LEG-013'), async () => {
  expect((await six({ temperature: 0 })).size).toBe(1);
});

test(row('LEG-014'), async () => {
  const called = async (tool_choice: unknown): Promise<unknown> =>
    pick(
      (await legacy({ tools: [TOOL], tool_choice })).json,
      'choices',
      0,
      'message',
      'tool_calls',
      0,
      'name',
    );
  expect([await called('tool'), await called('auto'), await called('none'), await called(null)]).toEqual([
    'get_weather',
    undefined,
    undefined,
    undefined,
  ]);
  // Also after the result of a tool.
  const call = { id: 'call_1', name: 'get_weather', parameters: { place: 'Oslo' } };
  const messages = [
    user('hello'),
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', content: 'rain', tool_call_id: 'call_1' },
  ];
  const after = await legacy({ tools: [TOOL], tool_choice: 'tool', messages });
  expect(pick(after.json, 'choices', 0, 'message', 'tool_calls')).toHaveLength(1);
  const sent: unknown[] = [];
  for (const toolChoice of ['auto', 'none', 'required'] as const) {
    await older().chat.complete({ ...HELLO, tools: [TOOL], toolChoice });
    sent.push([last().status, bodyOf(last())['tool_choice']]);
  }
  expect(sent).toEqual([
    [200, 'auto'],
    [200, 'none'],
    [200, 'tool'],
  ]);
});

test(row('LEG-015'), async () => {
  expect(await legacyOutcomes({ tools: [TOOL], tool_choice: 'required' })).toEqual(['422 tool_choice']);
});

test(row('LEG-016'), async () => {
  const wrong = [{ type: 'function', function: TOOL }, { name: 'x' }, { parameters: PLACE }];
  expect(await legacyOutcomes(...wrong.map((tool) => ({ tools: [tool] })))).toEqual(
    wrong.map(() => '422 tools.0'),
  );
  await older().chat.complete({ ...HELLO, tools: [{ ...TOOL, description: 'Tells it.' }, { name: 'now' }] });
  expect(last().status).toBe(200);
  expect(bodyOf(last())['tools']).toEqual([
    { ...TOOL, description: 'Tells it.' },
    { name: 'now', parameters: { type: 'object', properties: {} } },
  ]);
});

test(row('LEG-017'), async () => {
  const values = [null, 5, 1.5, 'x'].map((value) => ({ top_k: value }));
  expect(await legacyOutcomes(...values)).toEqual(['200', '200', '422 top_k', '422 top_k']);
  await hasDefault('top_k', 1024, 5);
});

test(row('LEG-018'), async () => {
  const values = [null, 0.5, 'x'].map((value) => ({ top_p: value }));
  expect(await legacyOutcomes(...values)).toEqual(['200', '200', '422 top_p']);
  await hasDefault('top_p', 0.95, 0.5);
});

test(row('LEG-019'), async () => {
  const names = ['frequency_penalty', 'presence_penalty', 'max_tokens', 'stop', 'temperature'];
  const more = ['tool_choice', 'tools', 'top_k', 'top_p'];
  const nulls = Object.fromEntries([...names, ...more].map((name) => [name, null]));
  const [without, withNulls] = [await legacy({ seed: 3 }), await legacy({ seed: 3, ...nulls })];
  expect(withNulls.status).toBe(200);
  expect(answerText(withNulls)).toBe(answerText(without));
});

test(row('LEG-020'), async () => {
  const messages = (role: string) => ({ messages: [{ role, content: 'x' }, user('y')] });
  const roles = ['user', 'assistant', 'tool', 'system', 'developer'];
  expect(await legacyOutcomes(...roles.map(messages))).toEqual([
    '200',
    '200',
    '200',
    '422 messages.0.role',
    '422 messages.0.role',
  ]);
  const history = [{ role: 'system', content: 'Be short.' }, ...HELLO.messages] as const;
  await older().chat.complete({ ...HELLO, messages: history });
  expect([last().status, pick(last().body, 'messages', 0, 'role')]).toEqual([200, 'user']);
});

test(row('LEG-021'), async () => {
  const system = { role: 'system', content: 'Be short.' } as const;
  const url = 'https://example.com/x.png';
  const content = [{ type: 'image', url }] as const;
  await older().chat.complete({ ...HELLO, messages: [system, ...HELLO.messages] });
  expect(bodyOf(last())['messages']).toEqual([user('Be short.\n\nhello')]);
  await older().chat.complete({ ...HELLO, messages: [system, { role: 'user', content }] });
  expect(bodyOf(last())['messages']).toEqual([
    user([
      { type: 'text', text: 'Be short.' },
      { type: 'image_url', image_url: url },
    ]),
  ]);
});

test(row('LEG-022'), async () => {
  const { status, json } = await legacy({ messages: [{ role: 'system', content: 'x' }, user('y')] });
  expect([status, pick(json, 'detail', 0, 'loc')]).toEqual([422, ['body', 'messages', 0, 'role']]);
});

test(row('LEG-023'), async () => {
  const content = (value: unknown) => ({ messages: [{ role: 'assistant', content: value }, user('y')] });
  const parts = [{ type: 'text', text: 'x' }];
  expect(await legacyOutcomes(content(null), content('x'), content(parts), content(1))).toEqual([
    '200',
    '200',
    '200',
    '422 messages.0.content',
  ]);
  const list = [{ type: 'text', text: 'x' }] as const;
  await older().chat.complete({ ...HELLO, messages: [{ role: 'user', content: list }, ...HELLO.messages] });
  expect(bodyOf(last())['messages']).toEqual([user(parts), user('hello')]);
});

test(row('LEG-024'), async () => {
  const part = (value: object) => ({ messages: [user([value])] });
  expect(await legacyOutcomes(part({ type: 'text', text: 'x' }), part({ type: 'text' }))).toEqual([
    '200',
    '422 messages.0.content.0',
  ]);
  const content = [{ type: 'text', text: 'hello' }] as const;
  await older().chat.complete({ ...HELLO, messages: [{ role: 'user', content }] });
  expect(pick(last().body, 'messages', 0, 'content', 0)).toEqual({ type: 'text', text: 'hello' });
});

const URL_OF = 'https://example.com/x.png';
const picture = (image_url: unknown) => ({ messages: [user([{ type: 'image_url', image_url }])] });

test(row('LEG-025'), async () => {
  expect(await legacyOutcomes(picture(URL_OF), picture(7))).toEqual(['200', '422 messages.0.content.0']);
  const content = [{ type: 'image', url: URL_OF }] as const;
  const { text } = await older().chat.complete({ ...HELLO, messages: [{ role: 'user', content }] });
  expect(pick(last().body, 'messages', 0, 'content', 0)).toEqual({ type: 'image_url', image_url: URL_OF });
  expect(text).toContain('a picture');
});

test(row('LEG-026'), async () => {
  expect(answerText(await legacy(picture({ url: URL_OF })))).toContain('a picture');
});
