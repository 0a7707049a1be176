import { describe, expect, test } from '@jest/globals';
import { ask, askLegacy, pick, ROOMY, answerText, send, standing, user } from './test-client.ts';
import type { Seen } from './test-client.ts';
import { isList, parseJson } from './json.ts';
import type { JsonObject } from './json.ts';

const long = (start: string) => `${start} ${'and on it goes '.repeat(100)}`;
const toolFor = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { q: { type: 'string' } } } },
});

const { core, at } = standing(ROOMY);

function finishOf(patch: JsonObject): unknown {
  return pick(ask(core, patch).json, 'choices', 0, 'finish_reason');
}

function cached(model: string): unknown {
  const { json } = ask(core, { model, messages: [user(long('once'))] });
  return pick(json, 'usage', 'prompt_tokens_details', 'cached_tokens');
}

/** The different answers to five legacy requests that are the same. */
function varied(patch: JsonObject): Set<string> {
  const body = { messages: [user('Why so?')], ...patch };
  return new Set(Array.from({ length: 5 }, () => answerText(askLegacy(core, body))));
}

describe('one body', () => {
  test('CHAT-008 RES-001 RES-002 RES-003 RES-004 RES-005 RES-006 RES-011 RES-012 RES-021 has the documented fields', () => {
    const { status, json } = ask(core);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      id: expect.any(String),
      object: 'chat.completion',
      created: Math.floor(at.now / 1000),
      model: 'model-c',
      choices: [{ index: 0, finish_reason: 'stop', logprobs: null, matched_stop: expect.any(Number) }],
      metadata: { weight_version: expect.any(String) },
    });
    expect(pick(json, 'choices', 0, 'delta')).toBeUndefined();
  });

  test('RES-007 RES-008 RES-009 has a finish reason', () => {
    expect(finishOf({})).toBe('stop');
    expect(finishOf({ max_tokens: 2 })).toBe('length');
    expect(finishOf({ tools: [toolFor('lookup')], tool_choice: 'required' })).toBe('tool_calls');
  });

  test('RES-014 RES-015 RES-016 RES-017 RES-019 RES-020 MSG-013 MSG-016 usage adds up', () => {
    const { json } = ask(core, { model: 'model-b' });
    const count = (...path: string[]): number => Number(pick(json, 'usage', ...path));
    expect(count('total_tokens')).toBe(count('prompt_tokens') + count('completion_tokens'));
    expect(count('reasoning_tokens')).toBeGreaterThan(0);
    expect(count('completion_tokens')).toBeGreaterThan(count('reasoning_tokens'));
    expect(count('completion_tokens_details', 'reasoning_tokens')).toBe(count('reasoning_tokens'));
    expect(pick(json, 'usage', 'prompt_tokens_details')).toBeNull();
    const message = pick(json, 'choices', 0, 'message');
    expect(pick(message, 'reasoning_content')).toEqual(expect.any(String));
    expect(pick(message, 'reasoning')).toBe(pick(message, 'reasoning_content'));
    expect(pick(ask(core).json, 'choices', 0, 'message', 'reasoning_content')).toBeNull();
  });

  test('RES-023 a repeated prefix is cached, for this key and model only', () => {
    expect(cached('model-d')).toBeUndefined();
    expect(cached('model-d')).toBeGreaterThan(300);
    expect(cached('model-e')).toBeUndefined();
  });
});

function stream(patch: JsonObject = {}): Seen {
  return ask(core, { stream: true, ...patch });
}

describe('a stream', () => {
  test('CHAT-009 CHAT-010 STR-001 STR-002 STR-003 STR-004 STR-005 STR-009 STR-010 STR-023 is made of chunks', () => {
    const { status, headers, events, text } = stream();
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    for (const event of events) {
      const { id, created, model } = events[0] ?? {};
      expect(event).toMatchObject({
        id,
        object: 'chat.completion.chunk',
        created,
        model,
        choices: expect.any(Array),
      });
      expect(pick(event, 'choices', 0, 'message')).toBeUndefined();
    }
    const finishes = events.map((event) => pick(event, 'choices', 0, 'finish_reason'));
    expect(finishes.slice(0, -2).every((finish) => finish === null)).toBe(true);
    expect(finishes.at(-2)).toBe('stop');
    expect(events.filter((event) => 'usage' in event)).toEqual([events.at(-1)]);
    expect(events.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(text).not.toMatch(/data:\s*\n\n|"usage":null/u);
  });

  test('STR-006 STR-007 chunks concatenate to the whole, reasoning first', () => {
    const body = { model: 'model-d', seed: 3, messages: [user('Why is the sky blue?')] };
    const streamed = stream(body);
    expect(answerText(streamed)).toBe(answerText(ask(core, body)));
    const kinds = streamed.events.map((event) => Object.keys(pick(event, 'choices', 0, 'delta') ?? {})[0]);
    expect(kinds.lastIndexOf('reasoning_content')).toBeLessThan(kinds.indexOf('content', 1));
  });

  test('STR-012 ends with [DONE], or without it when configured', () => {
    expect(stream().text.endsWith('data: [DONE]\n\n')).toBe(true);
    core.state.settings = { ...core.state.settings, shape: { done: 'no' } };
    expect(stream().text).not.toContain('[DONE]');
    core.state.settings = { ...core.state.settings, shape: {} };
  });

  test('STR-014 tool calls arrive in fragments by index', () => {
    const patch = { tools: [toolFor('a'), toolFor('b')], messages: [user('[[sim:tools=2]] "red fox"')] };
    const pieces = stream(patch).events.flatMap((event) => {
      const calls = pick(event, 'choices', 0, 'delta', 'tool_calls');
      return isList(calls) ? calls : [];
    });
    const merged = [0, 1].map((index) =>
      pieces
        .filter((piece) => pick(piece, 'index') === index)
        .map((piece) => pick(piece, 'function', 'arguments'))
        .join(''),
    );
    expect(merged.map((text) => parseJson(text)?.value)).toEqual([{ q: 'red fox' }, { q: 'red fox' }]);
    expect(pieces.filter((piece) => pick(piece, 'id') !== undefined)).toHaveLength(2);
  });

  test('STR-016 an error before the first byte is not a stream', () => {
    expect(stream({ messages: [] })).toMatchObject({ status: 400, events: [] });
  });
});

describe('the legacy shape', () => {
  const flat = { name: 'lookup', parameters: { type: 'object', properties: { q: { type: 'string' } } } };

  test('LEG-001 LEG-002 LEG-003 LEG-004 LEG-030 LEG-031 LEG-032 LEG-035 GEN-008 is selected by X-Api-Key only', () => {
    expect(askLegacy(core).json).toEqual({
      id: expect.any(String),
      model: 'vendor-flash',
      choices: [
        { index: 0, message: { role: 'assistant', content: expect.any(String) }, finish_reason: 'stop' },
      ],
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
    const both = { authorization: 'Bearer sim-key-local', 'x-api-key': 'sim-key-local' };
    const body = { model: 'model-c', messages: [user('hello')] };
    expect(pick(send(core, { headers: both, body: body }).json, 'object')).toBe('chat.completion');
  });

  test.each<[string, JsonObject, (string | number)[]]>([
    ['LEG-003 no messages', { messages: undefined }, ['messages']],
    ['LEG-003 no model', { model: undefined }, ['model']],
    ['LEG-010 stop as a string', { stop: 'x' }, ['stop']],
    ['LEG-014 LEG-015 tool_choice required', { tools: [flat], tool_choice: 'required' }, ['tool_choice']],
    ['LEG-016 a wrapped tool', { tools: [toolFor('x')] }, ['tools', 0]],
    [
      'LEG-020 LEG-022 a system message',
      { messages: [{ role: 'system', content: 'x' }] },
      ['messages', 0, 'role'],
    ],
    ['LEG-023 content that is a number', { messages: [user(1)] }, ['messages', 0, 'content']],
    [
      'LEG-027 arguments as a string',
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', name: 'b', parameters: '{}' }] }] },
      ['messages', 0, 'tool_calls', 0],
    ],
    ['LEG-005 a penalty that is text', { frequency_penalty: 'x' }, ['frequency_penalty']],
    ['LEG-017 top_k that is not an integer', { top_k: 1.5 }, ['top_k']],
  ])('%s is 422 LEG-038', (_title, patch, loc) => {
    const { status, json } = askLegacy(core, patch);
    expect([status, pick(json, 'detail', 0, 'loc')]).toEqual([422, ['body', ...loc]]);
    expect(pick(json, 'detail', 0)).toMatchObject({ msg: expect.any(String), type: expect.any(String) });
  });

  test('LEG-005 LEG-006 LEG-007 LEG-009 LEG-011 LEG-012 LEG-017 LEG-018 LEG-019 null equals a missing field', () => {
    const names = [
      'frequency_penalty',
      'presence_penalty',
      'max_tokens',
      'seed',
      'stop',
      'temperature',
      'tool_choice',
      'tools',
      'top_k',
      'top_p',
    ];
    expect(askLegacy(core, Object.fromEntries(names.map((name) => [name, null]))).status).toBe(200);
    const { json } = askLegacy(core, { messages: [user('[[sim:tokens=3000]]')] });
    expect(pick(json, 'usage', 'output_tokens')).toBe(1024);
  });

  test('LEG-009 LEG-013 a seed, and temperature 0, repeat the answer', () => {
    expect([varied({ seed: 1 }).size, varied({ temperature: 0 }).size]).toEqual([1, 1]);
    expect(varied({}).size).toBeGreaterThan(1);
  });

  test('LEG-008 LEG-033 a full context ends with context', () => {
    const messages = [user(`[[sim:tokens=2000]] ${'a '.repeat(31_000)}`)];
    const { json } = askLegacy(core, { max_tokens: 32_000, messages });
    expect(pick(json, 'choices', 0, 'finish_reason')).toBe('context');
  });

  test('LEG-014 LEG-016 LEG-027 LEG-029 tools are flat and their parameters an object', () => {
    const { json } = askLegacy(core, {
      tools: [flat],
      tool_choice: 'tool',
      messages: [user('find "foxes"')],
    });
    const call = pick(json, 'choices', 0, 'message', 'tool_calls', 0);
    expect(call).toMatchObject({ name: 'lookup', parameters: { q: 'foxes' } });
    const history = [user('x'), { role: 'assistant', tool_calls: [call] }, { role: 'tool', content: 'done' }];
    expect(answerText(askLegacy(core, { messages: history }))).toBe('`lookup` says: done');
  });

  test('LEG-024 LEG-025 LEG-026 text and pictures, nested or not', () => {
    const pictures = ['https://x/y.png', { url: 'https://x/y.png' }];
    const parts = pictures.map((image_url) => ({ type: 'image_url', image_url }));
    const { json } = askLegacy(core, { messages: [user([{ type: 'text', text: 'this?' }, ...parts])] });
    expect(pick(json, 'choices', 0, 'message', 'content')).toContain('a picture and a picture');
  });

  test('LEG-036 chunks carry usage each', () => {
    const { events } = askLegacy(core, { stream: true });
    for (const event of events) expect(event).toMatchObject({ usage: { output_tokens: expect.any(Number) } });
    expect(pick(events.at(-1), 'choices', 0, 'finish_reason')).toBe('stop');
  });
});
