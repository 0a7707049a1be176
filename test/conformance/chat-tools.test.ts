import { expect, test } from '@jest/globals';
import { pick, answerText, user } from '../simulators/upstream/test-client.ts';
import { isList, isObject, type JsonObject } from '../simulators/upstream/json.ts';
import { row } from './rows.ts';
import { bodyOf, CURRENT, ROOMY, service } from './service.ts';

const { sim, ask, outcomes, takers, client, last } = service(ROOMY);

const PLACE = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] };
const TOOL = { type: 'function', function: { name: 'get_weather', parameters: PLACE } };
/** Words that make the simulator call the tool without a forced choice. */
const CALLS = [user('What is the weather in Oslo?')];
const ASK = { model: 'model-c', messages: [{ role: 'user', content: 'What is the weather?' }] } as const;
const WEATHER = { name: 'get_weather', description: 'Tells it.', parameters: PLACE } as const;

async function calls(patch: JsonObject): Promise<unknown[]> {
  const { status, json } = await ask({ messages: CALLS, ...patch });
  expect(status).toBe(200);
  const called = pick(json, 'choices', 0, 'message', 'tool_calls');
  return isList(called) ? [...called] : [];
}

/** The result of the first of these calls. */
const resultOf = ([call]: readonly unknown[]) => ({
  role: 'tool',
  tool_call_id: String(pick(call, 'id')),
  content: 'rain',
});

test(row('CHAT-043'), async () => {
  expect(await outcomes({ tools: [TOOL] }, { tools: {} }, { tools: 'x' })).toEqual([
    '200',
    '400 tools',
    '400 tools',
  ]);
  await client().chat.complete({ ...ASK, tools: [WEATHER] });
  expect(pick(last().body, 'tools', 0, 'function', 'name')).toBe('get_weather');
});

test(row('CHAT-044'), async () => {
  const request = { model: 'vendor-flash-3', tools: [TOOL] };
  expect(await outcomes(request)).toEqual(['400 tools']);
  // Also if its features list them: it has no native tool calling.
  sim().control.setModel('vendor-flash-3', { features: ['tools', 'streaming'] });
  expect(await outcomes(request)).toEqual(['400 tools']);
});

test(row('CHAT-045'), async () => {
  expect(await takers({ tools: [TOOL] })).toEqual(CURRENT.filter((id) => id !== 'vendor-flash-3'));
});

test(row('CHAT-046'), async () => {
  expect(await outcomes({ tools: [TOOL] })).toEqual(['200']);
  sim().control.setModel('model-c', { features: ['streaming'] });
  expect(await outcomes({ tools: [TOOL] })).toEqual(['400 tools']);
});

test(row('CHAT-047'), async () => {
  const request = { ...ASK, model: 'vendor-flash-3', tools: [WEATHER], toolChoice: 'required' } as const;
  const { text, toolCalls, omitted } = await client({ fitToModel: true }).chat.complete(request);
  expect([last().status, toolCalls, omitted]).toEqual([200, [], ['tools']]);
  expect(text).not.toBe('');
  expect(bodyOf(last())).not.toHaveProperty('tools');
  expect(bodyOf(last())).not.toHaveProperty('tool_choice');
});

test(row('CHAT-048'), async () => {
  const described = { ...TOOL, function: { ...TOOL.function, description: 'Tells it.' } };
  expect(await outcomes({ tools: [TOOL, described] })).toEqual(['200']);
  await client().chat.complete({ ...ASK, tools: [WEATHER] });
  expect(bodyOf(last())['tools']).toEqual([{ type: 'function', function: WEATHER }]);
});

test(row('CHAT-049'), async () => {
  const wrong = [
    { ...TOOL, type: 'retrieval' },
    { function: TOOL.function },
    { type: 'function' },
    { type: 'function', function: { parameters: PLACE } },
    { type: 'function', function: { name: 'get_weather' } },
    WEATHER,
  ];
  expect(await outcomes(...wrong.map((tool) => ({ tools: [tool] })))).toEqual(wrong.map(() => '400 tools'));
});

test(row('CHAT-050'), async () => {
  await client().chat.complete({ ...ASK, tools: [{ name: 'now' }] });
  expect(last().status).toBe(200);
  expect(bodyOf(last())['tools']).toEqual([
    { type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } },
  ]);
});

const CHOICES = ['auto', 'none', 'required'] as const;

test(row('CHAT-051'), async () => {
  for (const toolChoice of CHOICES) {
    await client().chat.complete({ ...ASK, tools: [WEATHER], toolChoice });
    expect([last().status, bodyOf(last())['tool_choice']]).toEqual([200, toolChoice]);
  }
  expect(await outcomes({ tools: [TOOL], tool_choice: 'any' })).toEqual(['400 tool_choice']);
});

test(row('CHAT-052'), async () => {
  expect(await calls({ tools: [TOOL] })).toHaveLength(1);
  expect(await calls({ tools: [TOOL], tool_choice: 'auto' })).toHaveLength(1);
  expect(await calls({ tools: [TOOL], messages: [user('hello')] })).toHaveLength(0);
});

test(row('CHAT-053'), async () => {
  expect(await calls({ tools: [TOOL], tool_choice: 'none' })).toEqual([]);
});

test(row('CHAT-054'), async () => {
  const called = await calls({ tools: [TOOL], tool_choice: 'required', messages: [user('hello')] });
  expect(called.length).toBeGreaterThan(0);
  // Also after the result of a tool, and whatever the simulator is told to call.
  const after = [...CALLS, { role: 'assistant', content: null, tool_calls: called }, resultOf(called)];
  const again = async (tool_choice: string) =>
    (await calls({ tools: [TOOL], tool_choice, messages: after })).length;
  expect([await again('required'), await again('auto'), await again('none')]).toEqual([1, 0, 0]);
  const other = [user('[[sim:tool=other]] hello')];
  expect(await calls({ tools: [TOOL], tool_choice: 'required', messages: other })).toHaveLength(1);
});

test(row('CHAT-055'), async () => {
  const object = { type: 'function', function: { name: 'get_weather' } };
  const wrong = [object, 'tool', 'any', 7].map((tool_choice) => ({ tools: [TOOL], tool_choice }));
  expect(await outcomes(...wrong)).toEqual(wrong.map(() => '400 tool_choice'));
  const { lenient } = sim().control.settings();
  sim().control.change({ lenient: { ...lenient, toolChoiceObject: true } });
  const [called] = await calls({ tools: [TOOL], tool_choice: object, messages: [user('hello')] });
  expect(pick(called, 'function', 'name')).toBe('get_weather');
  const other = { type: 'function', function: { name: 'get_time', parameters: PLACE } };
  const after = [user('[[sim:tool=get_time]]'), { role: 'assistant', content: null, tool_calls: [called] }];
  const again = { tools: [other, TOOL], tool_choice: object, messages: [...after, resultOf([called])] };
  expect((await calls(again)).map((call) => pick(call, 'function', 'name'))).toEqual(['get_weather']);
});

test(row('CHAT-056'), async () => {
  const sent: unknown[] = [];
  for (const toolChoice of CHOICES) {
    await client().chat.complete({ ...ASK, tools: [WEATHER], toolChoice });
    sent.push(bodyOf(last())['tool_choice']);
  }
  await client().chat.complete({ ...ASK, toolChoice: 'required' });
  sent.push(bodyOf(last())['tool_choice']);
  expect(sent).toEqual(['auto', 'none', 'required', undefined]);
});

const FORM = { name: 'answer', schema: PLACE };
const schema = (json_schema: object) => ({ response_format: { type: 'json_schema', json_schema } });

test(row('CHAT-057'), async () => {
  const type = (name: string) => ({ response_format: { type: name } });
  expect(await outcomes(type('text'), type('json_object'), schema(FORM), type('xml'), type(''))).toEqual([
    '200',
    '200',
    '200',
    '400 response_format',
    '400 response_format',
  ]);
  await client().chat.complete({ ...ASK, responseFormat: { type: 'json_object' } });
  expect(bodyOf(last())['response_format']).toEqual({ type: 'json_object' });
});

test(row('CHAT-058'), async () => {
  const takes = await takers({ response_format: { type: 'json_object' } });
  expect(takes).toEqual(CURRENT.filter((id) => id.startsWith('model-')));
  const answer: unknown = JSON.parse(answerText(await ask({ response_format: { type: 'json_object' } })));
  expect(typeof answer).toBe('object');
});

test(row('CHAT-059'), async () => {
  const vendor = CURRENT.filter((id) => id.startsWith('vendor-'));
  const bodies = vendor.map((model) => ({ model, response_format: { type: 'json_object' } }));
  expect(await outcomes(...bodies)).toEqual(['400 response_format', '400 response_format']);
});

test(row('CHAT-060'), async () => {
  for (const model of ['vendor-flash-3', 'vendor-edge-2603']) {
    const { value } = await client().chat.structured({ ...ASK, model, name: 'answer', schema: PLACE });
    expect(typeof pick(value, 'place')).toBe('string');
    expect([last().status, pick(last().body, 'response_format', 'type')]).toEqual([200, 'json_schema']);
    const json = { ...ASK, model, responseFormat: { type: 'json_object' } } as const;
    const { text } = await client({ fitToModel: true }).chat.complete(json);
    expect(text).toMatch(/^\{/u);
    expect([last().status, pick(last().body, 'response_format', 'type')]).toEqual([200, 'json_schema']);
    // A client that does not fit requests sends what it is given, which the service refuses.
    await expect(client().chat.complete(json)).rejects.toMatchObject({ param: 'response_format' });
  }
});

test(row('CHAT-061'), async () => {
  const forms = [FORM, { ...FORM, strict: true }, { ...FORM, strict: 'yes' }];
  expect(await outcomes(...forms.map(schema))).toEqual(['200', '200', '400 response_format']);
  await client().chat.complete({ ...ASK, responseFormat: { type: 'json_schema', ...FORM, strict: true } });
  expect(pick(last().body, 'response_format', 'json_schema')).toEqual({ ...FORM, strict: true });
});

test(row('CHAT-062'), async () => {
  const forms = [{ schema: PLACE }, { name: 'answer' }, { name: 7, schema: PLACE }, {}];
  expect(await outcomes(...forms.map(schema))).toEqual(forms.map(() => '400 response_format'));
});

test(row('CHAT-063'), async () => {
  const properties = {
    colour: { enum: ['red', 'green'] },
    count: { type: 'integer', minimum: 3, maximum: 5 },
    tags: { type: 'array', items: { type: 'string', maxLength: 4 }, minItems: 2, maxItems: 3 },
  };
  const form = { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
  const answer: unknown = JSON.parse(answerText(await ask(schema({ name: 'answer', schema: form }))));
  expect(Object.keys(isObject(answer) ? answer : {}).toSorted()).toEqual(['colour', 'count', 'tags']);
  expect(['red', 'green']).toContain(pick(answer, 'colour'));
  expect([3, 4, 5]).toContain(pick(answer, 'count'));
  const tags = pick(answer, 'tags');
  expect([2, 3]).toContain(isList(tags) ? tags.length : 0);
  // The client's own validator accepts it too, so there is no second request for a repair.
  const { completions } = await client().chat.structured({ ...ASK, name: 'answer', schema: form });
  expect(completions).toHaveLength(1);
});

test(row('CHAT-064'), async () => {
  sim().control.setModel('model-c', { features: ['tools', 'streaming'] });
  expect(await outcomes(schema(FORM))).toEqual(['400 response_format']);
});
