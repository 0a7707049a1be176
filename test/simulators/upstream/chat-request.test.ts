import { describe, expect, test } from '@jest/globals';
import { ask, pick, ROOMY, standing, user } from './test-client.ts';
import { STRICT } from './chat/request.ts';

const tool = (name: string, parameters: object = { type: 'object', properties: {} }) => ({
  type: 'function',
  function: { name, parameters },
});
const calls = (...ids: string[]) => ({
  role: 'assistant',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'a', arguments: '{}' } })),
});
const { core } = standing(ROOMY);

describe('refused with 400 and the parameter named', () => {
  test.each<[string, string | null, Record<string, unknown>]>([
    ['CHAT-002 no model', 'model', { model: undefined }],
    ['CHAT-001 CHAT-002 a model that is not a string', 'model', { model: 7 }],
    ['CHAT-005 CHAT-006 messages that are not a list', 'messages', { messages: 'hello' }],
    ['CHAT-006 an empty list of messages', 'messages', { messages: [] }],
    ['CHAT-007 stream that is not a boolean', 'stream', { stream: 'yes' }],
    ['CHAT-011 CHAT-016 max_tokens that is not an integer', 'max_tokens', { max_tokens: 1.5 }],
    ['CHAT-016 max_tokens 0', 'max_tokens', { max_tokens: 0 }],
    ['CHAT-020 top_k that is not an integer', 'top_k', { top_k: 1.5 }],
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
    ['CHAT-043 tools that are not a list', 'tools', { tools: {} }],
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
      'MSG-008 MSG-009 a tool result without a call',
      'messages[1].tool_call_id',
      { messages: [user('x'), { role: 'tool', content: 'y', tool_call_id: 'call_1' }] },
    ],
    ['a call without a result', 'messages[1]', { messages: [calls('call_1'), user('y')] }],
    [
      'a call without a result at the end',
      'messages[2]',
      {
        messages: [calls('call_1', 'call_2'), { role: 'tool', content: 'y', tool_call_id: 'call_1' }],
      },
    ],
  ])('%s ERR-004', (_title, param, patch) => {
    const { status, json } = ask(core, patch);
    expect([status, pick(json, 'error', 'param')]).toEqual([400, param]);
    expect(typeof pick(json, 'error', 'message')).toBe('string');
  });
});

describe('accepted', () => {
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

  test('the compat mode generates `n` answers, whole and streamed; the strict mode ignores `n`', () => {
    const { core: compat } = standing({ profile: 'compat' });
    expect(pick(ask(compat, { n: 3 }).json, 'choices')).toMatchObject([
      { index: 0 },
      { index: 1 },
      { index: 2 },
    ]);
    expect(pick(ask(core, { n: 3 }).json, 'choices')).toMatchObject([{ index: 0 }]);
    expect(ask(compat, { n: 0 })).toMatchObject({ status: 400 });
    const { settings } = compat.state;
    compat.state.settings = { ...settings, lenient: { ...settings.lenient, choices: 'reject' } };
    expect(ask(compat, { n: 3 })).toMatchObject({ status: 400, json: { error: { param: 'n' } } });
    expect(ask(compat).status).toBe(200);
  });

  test('the compat mode accepts what common clients send: CHAT-055', () => {
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
