import { describe, expect, test } from '@jest/globals';
import { asObject } from '../../shared/upstream/http/json.ts';
import { answerOf, data, event, USAGE } from '../upstream/raw-server.ts';
import { QUESTION, asUpstreamError, readResponse } from '../upstream/raw-server-harness.ts';
import { completion, overBytes, say, sends, streams, TEXT } from './over-bytes.ts';
import { onBytes } from './rows.ts';

const PLACE = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] };
const TOOL = { name: 'get_weather', description: 'Tells it.', parameters: PLACE } as const;
const WIRE_TOOL = { type: 'function', function: TOOL };
const CHOICES = ['auto', 'none', 'required'] as const;
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

test(onBytes('CHAT-001'), () => sends({ model: 'm/x' }, { model: 'm/x' }));

test(onBytes('CHAT-005'), () => {
  const messages = [
    ...QUESTION.messages,
    { role: 'assistant', content: 'Hi' },
    { role: 'user', content: TEXT },
  ] as const;
  return sends({ messages }, { messages });
});

test(onBytes('CHAT-007'), () => sends({}, {}));

test(onBytes('CHAT-010'), async () => {
  const last = data({ id: 'c-1', object: 'chat.completion.chunk', choices: [], usage: USAGE });
  await streams([event({ content: TEXT }), event({}, 'stop'), last], ({ end }) =>
    expect([end?.text, end?.usage]).toEqual([
      TEXT,
      { promptTokens: 7, completionTokens: 5, reasoningTokens: 2, cachedTokens: 0 },
    ]),
  );
});

test(onBytes('CHAT-011'), () => sends({ maxTokens: 3 }, { max_tokens: 3 }));

test(onBytes('CHAT-015'), async () => {
  await sends({}, { max_tokens: 4096 });
  await sends({}, { max_tokens: 900 }, { maxTokens: 900 });
  await overBytes(
    (request, count) => (count === 1 ? models({ max_output_length: 700 }) : say(request, count)),
    async ({ upstream, server }) => {
      await upstream.chat.complete(QUESTION);
      expect(server.requests[1]?.body['max_tokens']).toBe(700);
    },
    { fitToModel: true },
  );
});

describe('a sampling parameter', () => {
  test(onBytes('CHAT-017'), async () => {
    await sends({ temperature: 5 }, { temperature: 5 });
    await sends({ temperature: -1 }, { temperature: -1 });
  });
  test(onBytes('CHAT-018'), () => sends({ temperature: 0 }, { temperature: 0 }));
  test(onBytes('CHAT-019'), () => sends({ topP: 0.5 }, { top_p: 0.5 }));
  test(onBytes('CHAT-020'), () => sends({ topK: 5 }, { top_k: 5 }));
  test(onBytes('CHAT-021'), () => sends({ minP: 0.1 }, { min_p: 0.1 }));
  test(onBytes('CHAT-022'), () => sends({ repetitionPenalty: 1.1 }, { repetition_penalty: 1.1 }));
  test(onBytes('CHAT-023'), () => sends({ frequencyPenalty: 1 }, { frequency_penalty: 1 }));
  test(onBytes('CHAT-025'), () => sends({ frequencyPenalty: -2 }, { frequency_penalty: -2 }));
  test(onBytes('CHAT-026'), () =>
    sends({ presencePenalty: 1, frequencyPenalty: 2 }, { presence_penalty: 1, frequency_penalty: 2 }),
  );
  test(onBytes('CHAT-028'), () => sends({ logitBias: { 5: -1, 7: 2 } }, { logit_bias: { 5: -1, 7: 2 } }));
  test(onBytes('CHAT-070'), () => sends({ seed: 0 }, { seed: 0 }));
});

const models = (fields: object): { json: object } => ({
  json: { object: 'list', data: [{ id: QUESTION.model, ...fields }] },
});

test(onBytes('CHAT-031'), () =>
  overBytes(
    (request, count) =>
      count === 1 ? models({ supported_sampling_parameters: ['temperature', 'top_k'] }) : say(request, count),
    async ({ upstream, server }) => {
      const sampling = { temperature: 0.5, topP: 0.5, topK: 5, minP: 0.1, repetitionPenalty: 1.1, seed: 1 };
      const more = { frequencyPenalty: 1, presencePenalty: 1, logitBias: { 5: 1 } };
      const { omitted } = await upstream.chat.complete({ ...QUESTION, ...sampling, ...more });
      expect(omitted.toSorted()).toEqual([
        'frequency_penalty',
        'logit_bias',
        'min_p',
        'presence_penalty',
        'repetition_penalty',
        'seed',
        'top_p',
      ]);
      expect(Object.keys(server.requests[1]?.body ?? {}).toSorted()).toEqual([
        'max_tokens',
        'messages',
        'model',
        'stream',
        'temperature',
        'top_k',
      ]);
    },
    { fitToModel: true },
  ),
);

test(onBytes('CHAT-032'), async () => {
  for (const reasoningEffort of EFFORTS)
    await sends({ reasoningEffort }, { reasoning_effort: reasoningEffort });
});

test(onBytes('CHAT-039'), () => sends({ reasoningEffort: 'low' }, { reasoning_effort: 'low' }));

test(onBytes('CHAT-040'), async () => {
  await sends({ stop: TEXT }, { stop: TEXT });
  await sends({ stop: ['three', 'x'] }, { stop: ['three', 'x'] });
});

test(onBytes('CHAT-043'), () =>
  sends(
    { tools: [TOOL, { ...TOOL, name: 'b' }] },
    { tools: [WIRE_TOOL, { ...WIRE_TOOL, function: { ...TOOL, name: 'b' } }] },
  ),
);

test(onBytes('CHAT-047'), () =>
  overBytes(
    (request, count) => (count === 1 ? models({ supported_features: ['streaming'] }) : say(request, count)),
    async ({ upstream, server }) => {
      const { text, omitted } = await upstream.chat.complete({
        ...QUESTION,
        tools: [TOOL],
        toolChoice: 'required',
      });
      expect([text, omitted]).toEqual([TEXT, ['tools']]);
      for (const name of ['tools', 'tool_choice']) expect(server.requests[1]?.body).not.toHaveProperty(name);
    },
    { fitToModel: true },
  ),
);

test(onBytes('CHAT-048'), () => sends({ tools: [TOOL] }, { tools: [WIRE_TOOL] }));

test(onBytes('CHAT-050'), () =>
  sends(
    { tools: [{ name: 'now' }] },
    {
      tools: [
        { type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } },
      ],
    },
  ),
);

test(onBytes('CHAT-051'), async () => {
  for (const toolChoice of CHOICES)
    await sends({ tools: [TOOL], toolChoice }, { tools: [WIRE_TOOL], tool_choice: toolChoice });
});

test(onBytes('CHAT-056'), async () => {
  await sends({ tools: [TOOL], toolChoice: 'required' }, { tools: [WIRE_TOOL], tool_choice: 'required' });
  await sends({ toolChoice: 'required' }, {});
  await sends({ tools: [], toolChoice: 'auto' }, {});
});

const SCHEMA = { type: 'json_schema', name: 'answer', schema: PLACE, strict: true } as const;
const WIRE_SCHEMA = { type: 'json_schema', json_schema: { name: 'answer', schema: PLACE, strict: true } };

test(onBytes('CHAT-057'), async () => {
  for (const type of ['text', 'json_object'] as const)
    await sends({ responseFormat: { type } }, { response_format: { type } });
  await sends({ responseFormat: SCHEMA }, { response_format: WIRE_SCHEMA });
});

test(onBytes('CHAT-060'), () =>
  overBytes(
    () => completion({ content: '{"place":"Zürich"}' }),
    async ({ upstream, server }) => {
      const request = { ...QUESTION, model: 'vendor-flash-3', name: 'answer', schema: PLACE };
      const { value, completions } = await upstream.chat.structured(request);
      expect([value, completions.length]).toEqual([{ place: 'Zürich' }, 1]);
      expect(server.requests[0]?.body['response_format']).toEqual(WIRE_SCHEMA);
    },
  ),
);

test(onBytes('CHAT-061'), async () => {
  await sends({ responseFormat: SCHEMA }, { response_format: WIRE_SCHEMA });
  const { strict: _, ...loose } = SCHEMA;
  await sends(
    { responseFormat: loose },
    { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: PLACE } } },
  );
});

test(onBytes('CHAT-065'), () => sends({ logprobs: true }, { logprobs: true }));

test(onBytes('CHAT-067'), async () => {
  await sends({ logprobs: true, topLogprobs: 20 }, { logprobs: true, top_logprobs: 20 });
  await sends({ topLogprobs: 20 }, {});
});

test(onBytes('CHAT-068'), () => {
  const top = [
    { token: 'a', logprob: -0.5 },
    { token: 'ü', logprob: -1 },
  ];
  const content = [{ token: 'a', logprob: -0.5, bytes: [97], top_logprobs: top }];
  const choice = (more: object) => ({ index: 0, ...more, finish_reason: 'stop', logprobs: { content } });
  const expected = [{ token: 'a', logprob: -0.5, top }];
  return overBytes(
    ({ body }) =>
      body['stream'] === true
        ? { events: [data({ id: 'c-1', object: 'x', choices: [choice({ delta: { content: 'a' } })] })] }
        : { json: { id: 'c-1', choices: [choice({ message: { content: 'a' } })] } },
    async ({ upstream }) => {
      const request = { ...QUESTION, logprobs: true, topLogprobs: 2 };
      expect((await upstream.chat.complete(request)).logprobs).toEqual(expected);
      expect((await readResponse(upstream.chat.stream(request))).end?.logprobs).toEqual(expected);
    },
  );
});

test(onBytes('CHAT-075'), () =>
  overBytes(
    (_, count) => (count === 1 ? models({ context_length: 2000 }) : completion({}, { usage: undefined })),
    async ({ upstream, server }) => {
      const content = 'word '.repeat(900);
      const ask = (text: string) => ({ ...QUESTION, messages: [{ role: 'user', content: text }] }) as const;
      await upstream.chat.complete(ask(content));
      const maxTokens = Number(server.requests[1]?.body['max_tokens']);
      expect(maxTokens).toBeGreaterThan(200);
      expect(maxTokens).toBeLessThan(2000 - 900);
      const { error } = await readResponse(upstream.chat.stream(ask(content.repeat(4))));
      expect(asUpstreamError(error)).toMatchObject({ kind: 'bad-request', code: 'context_length_exceeded' });
      expect(server.requests).toHaveLength(2);
    },
    { fitToModel: true },
  ),
);

test(onBytes('CHAT-076'), () =>
  overBytes(
    () => ({ events: answerOf(TEXT) }),
    async ({ upstream, server }) => {
      const extra = { user: 'u', metadata: { a: TEXT }, temperature: 9 };
      const { end } = await readResponse(upstream.chat.stream({ ...QUESTION, temperature: 1, n: 3, extra }));
      expect(end?.text).toBe(TEXT);
      expect(end).not.toHaveProperty('alternatives');
      expect(asObject(server.requests[0]?.body)).toMatchObject({ ...extra, temperature: 1, n: 3 });
    },
  ),
);
