import { describe, expect, test } from '@jest/globals';
import { pairToolMessages, type ChatRequest, type Message } from '../../shared/upstream/index.ts';
import { buildLegacyBody } from '../../shared/upstream/chat/legacy-request.ts';
import { buildBody } from '../../shared/upstream/chat/request.ts';
import { data, stream } from './raw-server.ts';
import { QUESTION, KEY, readResponse, textOf, withServer } from './raw-server-harness.ts';

const CALL = { id: 'call-1', name: 'weather', arguments: '{"place": "Ulm",  "days":1}' };
const TOOL = {
  name: 'weather',
  description: 'The weather',
  parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
};
const HISTORY: readonly Message[] = [
  { role: 'system', content: 'Be brief.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Look:' },
      { type: 'image', url: 'data:image/png;base64,AA==' },
    ],
  },
  { role: 'assistant', content: null, toolCalls: [CALL] },
  { role: 'tool', toolCallId: 'call-1', content: 'rain' },
];
const EVERYTHING: ChatRequest & { maxTokens: number } = {
  model: 'model-e',
  messages: HISTORY,
  maxTokens: 99,
  temperature: 0,
  topP: 0.9,
  topK: 40,
  minP: 0.1,
  repetitionPenalty: 1.1,
  frequencyPenalty: -2,
  presencePenalty: 2,
  logitBias: { '50256': -100 },
  reasoningEffort: 'xhigh',
  stop: 'END',
  tools: [TOOL, { name: 'bare' }],
  toolChoice: 'required',
  responseFormat: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true },
  logprobs: true,
  topLogprobs: 2,
  seed: 0,
  extra: { user: 'u', model: 'not this' },
};

/** A chunk of the legacy shape. */
const piece = (delta: object, finish: string | null, output: number): string =>
  data({
    id: 'l-1',
    model: 'vendor-flash',
    choices: [{ index: 0, delta, finish_reason: finish }],
    usage: { input_tokens: 9, output_tokens: output },
  });

describe('the current shape', () => {
  test('sends every field under its wire name', () => {
    expect(buildBody(EVERYTHING, true)).toEqual({
      omitted: [],
      body: {
        user: 'u',
        model: 'model-e',
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look:' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
            ],
          },
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'call-1', type: 'function', function: { name: 'weather', arguments: CALL.arguments } },
            ],
          },
          { role: 'tool', tool_call_id: 'call-1', content: 'rain' },
        ],
        tools: [
          { type: 'function', function: TOOL },
          { type: 'function', function: { name: 'bare', parameters: { type: 'object', properties: {} } } },
        ],
        tool_choice: 'required',
        max_tokens: 99,
        temperature: 0,
        top_p: 0.9,
        top_k: 40,
        min_p: 0.1,
        repetition_penalty: 1.1,
        frequency_penalty: -2,
        presence_penalty: 2,
        logit_bias: { '50256': -100 },
        reasoning_effort: 'xhigh',
        stop: 'END',
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'n', schema: { type: 'object' }, strict: true },
        },
        logprobs: true,
        top_logprobs: 2,
        seed: 0,
        stream: true,
        stream_options: { include_usage: true },
      },
    });
  });

  test('sends no field that was not set, and no tool_choice without tools', () => {
    const { body } = buildBody({ ...QUESTION, maxTokens: 5, toolChoice: 'auto', topLogprobs: 3 }, false);
    expect(body).toEqual({ model: 'model-a', messages: QUESTION.messages, max_tokens: 5, stream: false });
  });

  test('sends the other media types', () => {
    const content = [
      { type: 'video', url: 'https://x/v.mp4' },
      { type: 'audio', url: 'https://x/a.wav' },
      { type: 'input-audio', base64: 'AA==', format: 'wav' },
    ] as const;
    const { body } = buildBody({ model: 'm', messages: [{ role: 'user', content }], maxTokens: 1 }, false);
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'video_url', video_url: { url: 'https://x/v.mp4' } },
          { type: 'audio_url', audio_url: { url: 'https://x/a.wav' } },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
        ],
      },
    ]);
  });
});

describe('the legacy shape', () => {
  test('sends the same request in its own fields, and reports fields without an equivalent', () => {
    const { body, omitted } = buildLegacyBody(EVERYTHING, true);
    expect(omitted).toEqual([
      'min_p',
      'repetition_penalty',
      'logit_bias',
      'reasoning_effort',
      'logprobs',
      'top_logprobs',
      'response_format',
    ]);
    expect(body).toEqual({
      user: 'u',
      model: 'model-e',
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'text',
              text: expect.stringMatching(/^Be brief\.\n\nAnswer with JSON alone.*\{"type":"object"\}$/u),
            },
            { type: 'text', text: 'Look:' },
            { type: 'image_url', image_url: 'data:image/png;base64,AA==' },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call-1', name: 'weather', parameters: { place: 'Ulm', days: 1 } }],
        },
        { role: 'tool', tool_call_id: 'call-1', content: 'rain' },
      ],
      tools: [TOOL, { name: 'bare', parameters: { type: 'object', properties: {} } }],
      tool_choice: 'tool',
      max_tokens: 99,
      temperature: 0,
      top_p: 0.9,
      top_k: 40,
      frequency_penalty: -2,
      presence_penalty: 2,
      stop: ['END'],
      seed: 0,
      stream: true,
    });
  });

  test('merges a system prompt into the first user message, or makes a user message of it', () => {
    const folded = buildLegacyBody(
      { ...QUESTION, messages: [{ role: 'system', content: 'A' }, ...QUESTION.messages], maxTokens: 1 },
      false,
    );
    expect(folded.body['messages']).toEqual([{ role: 'user', content: 'A\n\nHello?' }]);
    const alone = buildLegacyBody(
      { model: 'm', messages: [{ role: 'system', content: 'A' }], maxTokens: 1 },
      false,
    );
    expect(alone.body['messages']).toEqual([{ role: 'user', content: 'A' }]);
  });

  test('accepts images and no other media', () => {
    const messages = [{ role: 'user', content: [{ type: 'video', url: 'x' }] }] as const;
    expect(() => buildLegacyBody({ model: 'm', messages, maxTokens: 1 }, false)).toThrow(
      'does not support video',
    );
  });

  test('uses its own header; its streams, calls and usage are parsed', async () => {
    const calls = [{ id: 'c-1', name: 'weather', parameters: { place: 'Ulm' } }];
    await withServer(
      (socket) =>
        stream(socket, [
          piece({ content: 'One ' }, null, 1),
          piece({ content: 'moment' }, null, 2),
          piece({ tool_calls: calls }, null, 3),
          piece({}, 'context', 4),
        ]),
      async ({ upstream, server }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        expect(textOf(response)).toBe('One moment');
        expect(response.end).toMatchObject({
          finish: 'context',
          model: 'vendor-flash',
          toolCalls: [{ id: 'c-1', name: 'weather', arguments: '{"place":"Ulm"}' }],
          usage: { promptTokens: 9, completionTokens: 4 },
        });
        expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': KEY });
        expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
      },
      { shape: 'legacy' },
    );
  });
});

describe('a history', () => {
  const question = { role: 'user', content: 'Q' } as const;
  const call = {
    role: 'assistant',
    content: 'Let me see',
    toolCalls: [CALL, { ...CALL, id: 'call-2' }],
  } as const;
  const answers = ['call-1', 'call-2'].map(
    (toolCallId) => ({ role: 'tool', content: 'rain', toolCallId }) as const,
  );

  test('keeps tool calls with all their results', () => {
    expect(pairToolMessages([question, call, ...answers])).toEqual([question, call, ...answers]);
  });

  test('drops a call with a missing result, with its other results, but keeps the text', () => {
    expect(pairToolMessages([question, call, ...answers.slice(1)])).toEqual([
      question,
      { role: 'assistant', content: 'Let me see' },
    ]);
  });

  test('drops results whose call was trimmed', () => {
    expect(pairToolMessages([...answers, question])).toEqual([question]);
  });
});
