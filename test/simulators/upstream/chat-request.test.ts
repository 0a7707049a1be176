import { describe, expect, test } from '@jest/globals';
import { ask, pick, said, send, standing, user } from './asking.ts';
import { STRICT } from './chat/request.ts';
import { fromPattern } from './answer/pattern.ts';
import type { JsonObject } from './json.ts';
import { createRandom } from './random.ts';
import * as z from 'zod';

const tool = (name: string, parameters: object = { type: 'object', properties: {} }) => ({
  type: 'function',
  function: { name, parameters },
});
const schema = (value: object) => ({ type: 'json_schema', json_schema: { name: 'answer', schema: value } });

describe('refused with 400 and the parameter named', () => {
  const { core } = standing({ limits: { chat: { perMinute: 60_000, burst: 1000 } } });
  test.each<[string, string | null, Record<string, unknown>]>([
    ['CHAT-002 no model', 'model', { model: undefined }],
    ['CHAT-001 CHAT-002 a model that is no string', 'model', { model: 7 }],
    ['CHAT-005 CHAT-006 messages that are no list', 'messages', { messages: 'hello' }],
    ['CHAT-006 an empty list of messages', 'messages', { messages: [] }],
    ['CHAT-007 stream that is no boolean', 'stream', { stream: 'yes' }],
    ['CHAT-011 CHAT-016 max_tokens that is no integer', 'max_tokens', { max_tokens: 1.5 }],
    ['CHAT-016 max_tokens 0', 'max_tokens', { max_tokens: 0 }],
    ['CHAT-020 top_k that is no integer', 'top_k', { top_k: 1.5 }],
    ['CHAT-021 min_p on model-c', 'min_p', { min_p: 0.1 }],
    [
      'CHAT-022 repetition_penalty on model-a',
      'repetition_penalty',
      { model: 'model-a', repetition_penalty: 1.1 },
    ],
    [
      'CHAT-023 frequency_penalty on model-a',
      'frequency_penalty',
      { model: 'model-a', frequency_penalty: 1 },
    ],
    ['CHAT-024 frequency_penalty 2.1', 'frequency_penalty', { frequency_penalty: 2.1 }],
    ['CHAT-026 presence_penalty on model-b', 'presence_penalty', { model: 'model-b', presence_penalty: 1 }],
    ['CHAT-027 presence_penalty -2.1', 'presence_penalty', { presence_penalty: -2.1 }],
    ['CHAT-028 CHAT-030 logit_bias on model-c', 'logit_bias', { logit_bias: { 1: 1 } }],
    ['CHAT-029 a logit_bias of 101', 'logit_bias', { model: 'model-e', logit_bias: { 1: 101 } }],
    ['CHAT-032 CHAT-033 an unknown effort', 'reasoning_effort', { reasoning_effort: 'huge' }],
    ['CHAT-035 an unknown nested effort', 'reasoning.effort', { reasoning: { effort: 'huge' } }],
    ['CHAT-042 stop that is a number', 'stop', { stop: 3 }],
    ['CHAT-042 stop with a number in it', 'stop', { stop: ['a', 3] }],
    ['CHAT-043 tools that are no list', 'tools', { tools: {} }],
    ['CHAT-044 tools on vendor-flash-3', 'tools', { model: 'vendor-flash-3', tools: [tool('a')] }],
    ['CHAT-049 a tool of another type', 'tools', { tools: [{ ...tool('a'), type: 'other' }] }],
    [
      'CHAT-048 CHAT-049 a tool without parameters',
      'tools',
      { tools: [{ type: 'function', function: { name: 'a' } }] },
    ],
    ['CHAT-051 CHAT-055 another tool_choice', 'tool_choice', { tools: [tool('a')], tool_choice: 'tool' }],
    ['CHAT-055 a tool_choice object', 'tool_choice', { tools: [tool('a')], tool_choice: tool('a') }],
    ['CHAT-057 another response_format', 'response_format', { response_format: { type: 'xml' } }],
    [
      'CHAT-059 json_object on vendor-flash-3',
      'response_format',
      { model: 'vendor-flash-3', response_format: { type: 'json_object' } },
    ],
    [
      'CHAT-061 CHAT-062 json_schema without schema',
      'response_format',
      { response_format: { type: 'json_schema', json_schema: { name: 'a' } } },
    ],
    ['CHAT-066 logprobs on model-e', 'logprobs', { model: 'model-e', logprobs: true }],
    ['CHAT-067 top_logprobs 21', 'top_logprobs', { logprobs: true, top_logprobs: 21 }],
    [
      'CHAT-074 more than the context',
      'messages',
      { model: 'vendor-edge-2603', max_tokens: 14_000, messages: [user('a '.repeat(3000))] },
    ],
    ['MSG-001 MSG-002 another role', 'messages[0].role', { messages: [{ role: 'developer', content: 'x' }] }],
    ['MSG-004 content that is a number', 'messages[0].content', { messages: [user(3)] }],
    ['MSG-005 a part of another type', 'messages[0].content[0]', { messages: [user([{ type: 'pdf' }])] }],
    [
      'MSG-005 a picture for a model that takes none',
      'messages[0].content',
      { model: 'model-a', messages: [user([{ type: 'image_url', image_url: { url: 'https://x/y.png' } }])] },
    ],
    [
      'MSG-006 MSG-011 a tool call without arguments',
      'messages[0].tool_calls[0].function',
      {
        messages: [
          { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'a' } }] },
        ],
      },
    ],
    [
      'MSG-008 MSG-009 an answer to no call',
      'messages[1].tool_call_id',
      { messages: [user('x'), { role: 'tool', content: 'y', tool_call_id: 'call_1' }] },
    ],
  ])('%s ERR-004', (_title, param, patch) => {
    const { status, json } = ask(core, patch);
    expect([status, pick(json, 'error', 'param')]).toEqual([400, param]);
    expect(typeof pick(json, 'error', 'message')).toBe('string');
  });
});

describe('accepted', () => {
  const { core } = standing({ limits: { chat: { perMinute: 60_000, burst: 1000 } } });
  test.each<[string, Record<string, unknown>]>([
    ['CHAT-017 CHAT-018 any temperature', { model: 'model-a', temperature: 5 }],
    ['CHAT-017 a negative temperature', { temperature: -1 }],
    ['CHAT-019 top_p', { model: 'vendor-flash-3', top_p: 0.5 }],
    ['CHAT-020 top_k', { model: 'vendor-edge-2603', top_k: 5 }],
    ['CHAT-021 min_p on model-e', { model: 'model-e', min_p: 0.1 }],
    ['CHAT-022 repetition_penalty on model-b', { model: 'model-b', repetition_penalty: 1.1 }],
    ['CHAT-023 CHAT-025 frequency_penalty -2', { model: 'model-b', frequency_penalty: -2 }],
    ['CHAT-025 frequency_penalty 2', { frequency_penalty: 2 }],
    ['CHAT-026 CHAT-027 presence_penalty 2', { model: 'vendor-flash-3', presence_penalty: 2 }],
    ['CHAT-028 CHAT-029 logit_bias -100', { model: 'model-e', logit_bias: { 5: -100, 6: 100 } }],
    ['CHAT-037 an effort for a model without tiers', { model: 'model-c', reasoning_effort: 'high' }],
    ['CHAT-034 a nested effort', { model: 'model-a', reasoning: { effort: 'low' } }],
    ['CHAT-045 tools', { model: 'vendor-edge-2603', tools: [tool('a')] }],
    ['CHAT-058 json_object on model-c', { response_format: { type: 'json_object' } }],
    ['CHAT-057 response_format text', { response_format: { type: 'text' } }],
    ['CHAT-065 CHAT-067 top_logprobs 20', { logprobs: true, top_logprobs: 20 }],
    ['CHAT-071 seed on model-a', { model: 'model-a', seed: 1 }],
    [
      'CHAT-076 fields of the public format',
      { n: 1, user: 'u', stream_options: { include_usage: true }, parallel_tool_calls: true },
    ],
    ['MSG-004 content null', { messages: [{ role: 'assistant', content: null }, user('x')] }],
    [
      'MSG-005 pictures',
      {
        messages: [
          user([
            { type: 'text', text: 'what?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ]),
        ],
      },
    ],
    [
      'MSG-013 reasoning sent back is ignored',
      { messages: [{ role: 'assistant', content: 'a', reasoning_content: 'b' }, user('x')] },
    ],
  ])('%s', (_title, patch) => {
    expect(ask(core, patch).status).toBe(200);
  });

  test('compat takes what common clients send: CHAT-055', () => {
    const { core: compat } = standing({ profile: 'compat' });
    expect(
      pick(
        ask(compat, { tools: [tool('a'), tool('b')], tool_choice: tool('b') }).json,
        'choices',
        0,
        'message',
        'tool_calls',
        0,
        'function',
        'name',
      ),
    ).toBe('b');
    const patch = { messages: [{ role: 'developer', content: 'x' }, user('hello')], temperature: null };
    expect(ask(compat, patch).status).toBe(200);
    compat.state.settings = { ...compat.state.settings, lenient: STRICT };
    expect(ask(compat, patch).status).toBe(400);
  });
});

describe('what a request asks for happens', () => {
  const { core } = standing({ limits: { chat: { perMinute: 60_000, burst: 1000 } } });

  test('CHAT-003 CHAT-004 ERR-009 an unknown or prefixed model is 404', () => {
    for (const model of ['nope', 'vendor/vendor-flash-3']) expect(ask(core, { model }).status).toBe(404);
  });

  test('CHAT-033 an invalid effort has the code invalid_value', () => {
    expect(pick(ask(core, { reasoning_effort: 'x' }).json, 'error', 'code')).toBe('invalid_value');
  });

  test('CHAT-012 max_tokens above the output of the model is capped', () => {
    core.state.models.set('tiny', { ...models('model-c'), id: 'tiny', maxOutput: 5 });
    const { json } = ask(core, { model: 'tiny', max_tokens: 100, messages: [user('[[sim:tokens=50]]')] });
    expect(pick(json, 'choices', 0, 'finish_reason')).toBe('length');
    expect(pick(json, 'usage', 'completion_tokens')).toBe(5);
  });

  test('CHAT-013 CHAT-014 without max_tokens the budget of the model holds', () => {
    const { json } = ask(core, { messages: [user('[[sim:tokens=3000]]')] });
    expect(pick(json, 'usage', 'completion_tokens')).toBe(1024);
  });

  test('CHAT-040 CHAT-041 a stop text ends the answer before it', () => {
    const { json } = ask(core, {
      messages: [user('[[sim:say=one two three four]]')],
      stop: ['four', 'three'],
    });
    expect(pick(json, 'choices', 0, 'message', 'content')).toBe('one two ');
    expect(pick(json, 'choices', 0, 'finish_reason')).toBe('stop');
    expect(said(ask(core, { messages: [user('[[sim:say=one two]]')], stop: 'two' }))).toBe('one ');
  });

  test('CHAT-036 CHAT-039 the effort changes the length of the trace, none gives none, the outer one wins', () => {
    const trace = (patch: object): unknown =>
      pick(ask(core, { model: 'model-a', ...patch }).json, 'usage', 'reasoning_tokens');
    const [low, high] = [trace({ reasoning_effort: 'low' }), trace({ reasoning_effort: 'max' })];
    expect(Number(high)).toBeGreaterThan(Number(low));
    expect(trace({ reasoning_effort: 'none' })).toBe(0);
    expect(trace({ reasoning_effort: 'none', reasoning: { effort: 'max' } })).toBe(0);
  });

  test('CHAT-038 the effort has no effect on the models of the vendor', () => {
    const same = { model: 'vendor-flash-3', seed: 1 };
    expect(said(ask(core, { ...same, reasoning_effort: 'max' }))).toBe(said(ask(core, same)));
  });

  test('CHAT-046 CHAT-064 CHAT-065 a feature that a model does not list is refused', () => {
    core.state.models.set('plain', { ...models('model-c'), id: 'plain', features: [] });
    const refused = [
      { tools: [tool('a')] },
      { response_format: schema({ type: 'object' }) },
      { logprobs: true },
    ];
    for (const patch of refused) expect(ask(core, { model: 'plain', ...patch }).status).toBe(400);
  });

  test('CHAT-052 CHAT-053 CHAT-054 auto calls when asked to, none never, required always', () => {
    const weather = tool('get_weather', {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    });
    const asked = { tools: [weather], messages: [user('What is the weather in Oslo?')] };
    const call = pick(ask(core, asked).json, 'choices', 0, 'message', 'tool_calls', 0, 'function');
    expect(call).toEqual({ name: 'get_weather', arguments: '{"city":"Oslo"}' });
    const calls = (patch: object): unknown =>
      pick(ask(core, { ...asked, ...patch }).json, 'choices', 0, 'message', 'tool_calls');
    expect(calls({ tool_choice: 'none' })).toBeUndefined();
    expect(calls({ messages: [user('hello')] })).toBeUndefined();
    expect(calls({ messages: [user('hello')], tool_choice: 'required' })).toHaveLength(1);
  });

  test('MSG-006 MSG-008 MSG-011 the answer of a tool is used', () => {
    const made = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } };
    const history = [user('weather?'), { role: 'assistant', content: null, tool_calls: [made] }];
    const answer = { role: 'tool', tool_call_id: 'call_1', content: 'rain' };
    expect(said(ask(core, { messages: [...history, answer] }))).toBe('`get_weather` says: rain');
  });

  test('CHAT-068 CHAT-069 log probabilities with as many alternatives as asked', () => {
    const content = (patch: JsonObject): unknown =>
      pick(ask(core, patch).json, 'choices', 0, 'logprobs', 'content', 0);
    expect(pick(content({ logprobs: true, top_logprobs: 3 }), 'top_logprobs')).toHaveLength(3);
    expect(pick(content({ logprobs: true }), 'top_logprobs')).toEqual([]);
    expect(content({ top_logprobs: 3 })).toBeUndefined();
  });

  test('CHAT-070 CHAT-071 a seed repeats the answer where the model can', () => {
    const asked = (model: string): string[] =>
      Array.from({ length: 6 }, () =>
        said(ask(core, { model, seed: 4, messages: [user('Why is the sky blue?')] })),
      );
    expect(new Set(asked('model-d')).size).toBe(1);
    expect(new Set(asked('model-a')).size).toBeGreaterThan(1);
  });

  test('CHAT-072 CHAT-073 GEN-017 ERR-005 a body that is no JSON object, or not sent as JSON, is 400', () => {
    for (const body of ['{', '[]', '"x"']) expect(send(core, { body }).status).toBe(400);
    const headers = { authorization: 'Bearer sim-key-local', 'content-type': 'text/plain' };
    expect(send(core, { headers, body: {} }).status).toBe(400);
  });

  function models(id: string) {
    const model = core.state.models.get(id);
    if (model === undefined) throw new Error(id);
    return model;
  }
});

describe('CHAT-063 the answer fits the schema', () => {
  const { core } = standing();
  const node = {
    type: 'object',
    properties: { value: { type: 'integer' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
    required: ['value', 'next'],
  };
  const person = {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'age', 'mail', 'tags', 'level', 'code'],
    properties: {
      name: { type: 'string', minLength: 3, maxLength: 10 },
      age: { type: 'integer', minimum: 18, maximum: 99 },
      score: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
      even: { type: 'integer', multipleOf: 2, minimum: 7 },
      mail: { type: 'string', format: 'email' },
      tags: { type: 'array', items: { type: 'string' }, minItems: 3, uniqueItems: true },
      level: { enum: ['low', 'high'] },
      kind: { const: 'person' },
      code: { type: 'string', pattern: '^[A-Z]{2}-\\d{4}$' },
      nothing: { type: ['string', 'null'] },
      open: { type: 'boolean' },
    },
  };
  test.each<[string, z.core.JSONSchema.JSONSchema, string]>([
    ['an object', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, 'hello'],
    ['many kinds of fields', person as z.core.JSONSchema.JSONSchema, 'Ada is 36'],
    ['a list', { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 4 }, 'x'],
    [
      'references that come back',
      { $defs: { node }, $ref: '#/$defs/node' } as z.core.JSONSchema.JSONSchema,
      'x',
    ],
  ])('%s', (_title, wanted, question) => {
    const answer = said(ask(core, { messages: [user(question)], response_format: schema(wanted) }));
    expect(z.fromJSONSchema(wanted).safeParse(JSON.parse(answer)).error).toBeUndefined();
  });

  test.each([
    '^[a-f0-9]{8}$',
    '^(cat|dog)s?$',
    '^\\+?\\d{1,3}( \\d{2,4}){2}$',
    '^[^\\s@]+@[a-z]+\\.(com|org)$',
    '^v\\d+(\\.\\d+)*$',
  ])('the pattern %s', (pattern) => {
    for (let seed = 0; seed < 20; seed += 1)
      expect(fromPattern(pattern, createRandom(seed))).toMatch(new RegExp(pattern, 'u'));
  });
});
