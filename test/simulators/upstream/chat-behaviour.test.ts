import { describe, expect, test } from '@jest/globals';
import { type Schema, Validator } from '@cfworker/json-schema';
import { fromPattern } from './answer/pattern.ts';
import { ask, pick, ROOMY, answerText, send, standing, user } from './test-client.ts';
import type { JsonObject } from './json.ts';
import type { Model } from './models.ts';
import { createRandom } from './random.ts';

const { core } = standing(ROOMY);
const tool = (name: string, parameters: object = { type: 'object', properties: {} }) => ({
  type: 'function',
  function: { name, parameters },
});
const schema = (value: object) => ({ type: 'json_schema', json_schema: { name: 'answer', schema: value } });

function modelById(id: string): Model {
  const model = core.state.models.get(id);
  if (model === undefined) throw new Error(id);
  return model;
}

function reasoning(patch: JsonObject): unknown {
  return pick(ask(core, { model: 'model-a', ...patch }).json, 'usage', 'reasoning_tokens');
}

function firstLogprob(patch: JsonObject): unknown {
  return pick(ask(core, patch).json, 'choices', 0, 'logprobs', 'content', 0);
}

function sixAnswers(model: string): string[] {
  const patch = { model, seed: 4, messages: [user('Why is the sky blue?')] };
  return Array.from({ length: 6 }, () => answerText(ask(core, patch)));
}

describe('the fields of a request have their effect', () => {
  test('CHAT-003 CHAT-004 ERR-009 an unknown or prefixed model is 404', () => {
    for (const model of ['nope', 'vendor/vendor-flash-3']) expect(ask(core, { model }).status).toBe(404);
  });

  test('CHAT-033 an invalid effort has the code invalid_value', () => {
    expect(pick(ask(core, { reasoning_effort: 'x' }).json, 'error', 'code')).toBe('invalid_value');
  });

  test('CHAT-012 max_tokens above the output of the model is capped', () => {
    core.state.models.set('tiny', { ...modelById('model-c'), id: 'tiny', maxOutput: 5 });
    const { json } = ask(core, { model: 'tiny', max_tokens: 100, messages: [user('[[sim:tokens=50]]')] });
    expect(pick(json, 'choices', 0, 'finish_reason')).toBe('length');
    expect(pick(json, 'usage', 'completion_tokens')).toBe(5);
  });

  test('CHAT-013 CHAT-014 without max_tokens the default of the model applies', () => {
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
    expect(answerText(ask(core, { messages: [user('[[sim:say=one two]]')], stop: 'two' }))).toBe('one ');
  });

  test('CHAT-036 CHAT-039 the effort changes the length of the reasoning, none gives none, the outer field wins', () => {
    const [low, high] = [reasoning({ reasoning_effort: 'low' }), reasoning({ reasoning_effort: 'max' })];
    expect(Number(high)).toBeGreaterThan(Number(low));
    expect(reasoning({ reasoning_effort: 'none' })).toBe(0);
    expect(reasoning({ reasoning_effort: 'none', reasoning: { effort: 'max' } })).toBe(0);
  });

  test('CHAT-038 the effort has no effect on the models of the vendor', () => {
    const same = { model: 'vendor-flash-3', seed: 1 };
    expect(answerText(ask(core, { ...same, reasoning_effort: 'max' }))).toBe(answerText(ask(core, same)));
  });

  test('CHAT-046 CHAT-064 CHAT-065 a feature that a model does not list is refused', () => {
    core.state.models.set('plain', { ...modelById('model-c'), id: 'plain', features: [] });
    const bodies = [
      { tools: [tool('a')] },
      { response_format: schema({ type: 'object' }) },
      { logprobs: true },
    ];
    for (const patch of bodies) expect(ask(core, { model: 'plain', ...patch }).status).toBe(400);
  });

  test('CHAT-052 CHAT-053 CHAT-054 auto calls on request, none never, required always', () => {
    const weather = tool('get_weather', {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    });
    const body = { tools: [weather], messages: [user('What is the weather in Oslo?')] };
    const call = pick(ask(core, body).json, 'choices', 0, 'message', 'tool_calls', 0, 'function');
    expect(call).toEqual({ name: 'get_weather', arguments: '{"city":"Oslo"}' });
    const calls = (patch: object): unknown =>
      pick(ask(core, { ...body, ...patch }).json, 'choices', 0, 'message', 'tool_calls');
    expect(calls({ tool_choice: 'none' })).toBeUndefined();
    expect(calls({ messages: [user('hello')] })).toBeUndefined();
    expect(calls({ messages: [user('hello')], tool_choice: 'required' })).toHaveLength(1);
  });

  test('MSG-006 MSG-008 MSG-011 the result of a tool is used', () => {
    const toolCall = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } };
    const history = [user('weather?'), { role: 'assistant', content: null, tool_calls: [toolCall] }];
    const answer = { role: 'tool', tool_call_id: 'call_1', content: 'rain' };
    expect(answerText(ask(core, { messages: [...history, answer] }))).toBe('`get_weather` says: rain');
  });

  test('CHAT-068 CHAT-069 log probabilities have the requested number of alternatives', () => {
    expect(pick(firstLogprob({ logprobs: true, top_logprobs: 3 }), 'top_logprobs')).toHaveLength(3);
    expect(pick(firstLogprob({ logprobs: true }), 'top_logprobs')).toEqual([]);
    expect(firstLogprob({ top_logprobs: 3 })).toBeUndefined();
  });

  test('CHAT-070 CHAT-071 a seed repeats the answer where the model can', () => {
    expect(new Set(sixAnswers('model-d')).size).toBe(1);
    expect(new Set(sixAnswers('model-a')).size).toBeGreaterThan(1);
  });

  test('CHAT-072 CHAT-073 GEN-017 ERR-005 a body that is not a JSON object, or not sent as JSON, is 400', () => {
    for (const body of ['{', '[]', '"x"']) expect(send(core, { body }).status).toBe(400);
    const headers = { authorization: 'Bearer sim-key-local', 'content-type': 'text/plain' };
    expect(send(core, { headers, body: {} }).status).toBe(400);
  });
});

describe('CHAT-063 the answer fits the schema', () => {
  const node: Schema = {
    type: 'object',
    properties: { value: { type: 'integer' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
    required: ['value', 'next'],
  };
  const person: Schema = {
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
  test.each<[string, Schema, string]>([
    ['an object', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, 'hello'],
    ['many kinds of fields', person, 'Ada is 36'],
    ['a list', { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 4 }, 'x'],
    ['recursive references', { $defs: { node }, $ref: '#/$defs/node' }, 'x'],
  ])('%s', (_title, wanted, question) => {
    const answer = answerText(ask(core, { messages: [user(question)], response_format: schema(wanted) }));
    expect(new Validator(wanted, '2020-12').validate(JSON.parse(answer)).errors).toEqual([]);
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
