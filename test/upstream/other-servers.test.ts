import { describe, expect, test } from '@jest/globals';
import { data, DONE, event, stream } from './raw-server.ts';
import { asUpstreamError, QUESTION, readResponse, textOf, withServer } from './raw-server-harness.ts';

// What servers of the format send, each in its own form. Reported by their users; the words are ours.

const TEXT = event({ content: 'All is well.' });
const STOP = event({}, 'stop');
const COUNTS = { prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 };
const choice = (value: object, more: object = {}) => data({ choices: [value], ...more });
const thought = (text: string) =>
  event({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] });

const further = (message: object) => choice({ index: 1, ...message });
const fragment = (id: string, call: object) => event({ tool_calls: [{ index: 0, id, function: call }] });

describe('an answer is read as', () => {
  test.each<[string, readonly string[]]>([
    [
      'Azure OpenAI sends it: first the filter’s results, then chunks with and without deltas',
      [
        data({ choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] }),
        choice({ index: 0, delta: { content: 'All is well.' }, content_filter_results: {} }),
        choice({ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 44 } }),
        choice({ index: 0, delta: {}, finish_reason: 'stop' }),
        data({ choices: [], usage: COUNTS }),
        DONE,
      ],
    ],
    [
      'OpenRouter sends it: comments, and the usage with a choice',
      [
        ': OPENROUTER PROCESSING\n\n',
        choice({ index: 0, delta: { role: 'assistant', content: 'All is well.' } }, { provider: 'P' }),
        choice({ delta: { content: '' }, finish_reason: 'stop', native_finish_reason: 'STOP' }),
        choice({ delta: { content: '' }, finish_reason: null }, { usage: { ...COUNTS, cost: 0.1 } }),
        DONE,
      ],
    ],
    [
      'gateways send it that put the comments of others into data',
      ['data: : OPENROUTER PROCESSING\n\n', TEXT, 'data: : keepalive\n\n', STOP, data({ usage: COUNTS })],
    ],
    [
      'gateways send it that have an event of their own to keep the connection',
      [
        'event: ping\ndata: 2026-11-28 12:00:00\n\n',
        TEXT,
        'event: ping\ndata: {"type":"ping"}\n\n',
        STOP,
        data({ usage: COUNTS }),
      ],
    ],
    [
      'Groq sends it: the usage in a field of its own',
      [TEXT, event({}, 'stop', { x_groq: { id: 'r', usage: COUNTS } })],
    ],
    [
      'Moonshot sends it: the usage in the choice',
      [TEXT, choice({ index: 0, delta: {}, finish_reason: 'stop', usage: COUNTS }), DONE],
    ],
    [
      'Perplexity sends it: the whole text so far beside each delta',
      [
        choice({ index: 0, delta: { content: 'All is' }, message: { content: 'All is' } }),
        choice({ index: 0, delta: { content: ' well.' }, message: { content: 'All is well.' } }),
        choice(
          { index: 0, delta: { content: '' }, message: { content: 'All is well.' }, finish_reason: 'stop' },
          { usage: COUNTS },
        ),
      ],
    ],
    [
      'MiniMax sends it: at the end the whole message once more',
      [
        choice({ index: 0, delta: { role: 'assistant', content: 'All is ' } }),
        choice({ index: 0, delta: { content: 'well.' } }),
        choice(
          {
            index: 0,
            message: { role: 'assistant', content: 'All is well.', reasoning_content: '' },
            finish_reason: 'stop',
          },
          { object: 'chat.completion', usage: COUNTS },
        ),
      ],
    ],
    [
      'servers send it that answer with a whole message after an empty delta',
      [
        event({ role: 'assistant', content: '' }),
        choice({ index: 0, message: { content: 'All is well.' }, finish_reason: 'stop' }, { usage: COUNTS }),
      ],
    ],
    [
      'servers send it that call each delta a message',
      [
        choice({ index: 0, message: { content: 'All is ' } }),
        choice({ index: 0, message: { content: 'well.' }, finish_reason: 'stop' }, { usage: COUNTS }),
      ],
    ],
    [
      'vLLM sends it: the usage so far in each chunk',
      [
        event({ role: 'assistant', content: '' }, null, {
          usage: { prompt_tokens: 20, completion_tokens: 0, total_tokens: 20 },
        }),
        event({ content: 'All is well.' }, null, {
          usage: { prompt_tokens: 20, completion_tokens: 6, total_tokens: 26 },
        }),
        event({}, 'stop', { usage: COUNTS }),
        DONE,
      ],
    ],
  ])('%s', async (_, pieces) => {
    await withServer(
      (socket) => stream(socket, pieces),
      async ({ upstream }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        expect(response.error).toBeUndefined();
        expect(textOf(response)).toBe('All is well.');
        expect(response.end).toMatchObject({
          finish: 'stop',
          usage: { promptTokens: 20, completionTokens: 7, reasoningTokens: 0 },
        });
      },
    );
  });

  test('Mistral sends it: thoughts and text as parts', async () => {
    await withServer(
      (socket) =>
        stream(socket, [
          thought('Let me '),
          thought('see.'),
          event({ content: [{ type: 'text', text: 'Yes.' }] }),
          STOP,
        ]),
      async ({ upstream }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        expect([textOf(response, 'reasoning'), textOf(response)]).toEqual(['Let me see.', 'Yes.']);
      },
    );
  });

  test.each([
    [
      'Grok: reasoning beside the completion',
      { ...COUNTS, total_tokens: 387, completion_tokens_details: { reasoning_tokens: 360 } },
      367,
      360,
    ],
    ['Gemini: reasoning in the total only', { ...COUNTS, total_tokens: 127 }, 107, 100],
    [
      'OpenAI: reasoning within the completion',
      { ...COUNTS, completion_tokens_details: { reasoning_tokens: 5 } },
      7,
      5,
    ],
  ])('it is charged by %s', async (_, usage, completionTokens, reasoningTokens) => {
    await withServer(
      (socket) => stream(socket, [TEXT, event({}, 'stop', { usage })]),
      async ({ upstream }) => {
        const { end } = await readResponse(upstream.chat.stream(QUESTION));
        expect(end?.usage).toMatchObject({ promptTokens: 20, completionTokens, reasoningTokens });
      },
    );
  });

  test.each([
    ['model_length', 'length'],
    ['max_tokens', 'length'],
    ['SAFETY', 'content_filter'],
    ['sensitive', 'content_filter'],
    ['eos', 'stop'],
    ['eos_token', 'stop'],
    ['stop_sequence', 'stop'],
    ['end', 'stop'],
    ['end_turn', 'stop'],
    ['STOP', 'stop'],
    ['something_new', 'something_new'],
  ])('one that ended with %s', async (word, finish) => {
    await withServer(
      (socket) => stream(socket, [TEXT, event({}, word)]),
      async ({ upstream }) =>
        expect((await readResponse(upstream.chat.stream(QUESTION))).end?.finish).toBe(finish),
    );
  });

  test.each(['abort', 'insufficient_system_resource', 'network_error'])(
    'incomplete if it ended with %s',
    async (word) => {
      await withServer(
        (socket) => stream(socket, [TEXT, event({}, word), DONE]),
        async ({ upstream }) => {
          const { error } = await readResponse(upstream.chat.stream(QUESTION));
          expect(asUpstreamError(error)).toMatchObject({
            kind: 'server',
            code: 'finish_error',
            partialText: 'All is well.',
          });
        },
      );
    },
  );

  test('with each further version once, if the server repeats them whole at the end', async () => {
    await withServer(
      (socket) =>
        stream(socket, [
          TEXT,
          further({ delta: { content: 'All ' } }),
          further({ delta: { content: 'fine.' } }),
          choice({ index: 0, message: { content: 'All is well.' }, finish_reason: 'eos' }),
          further({ message: { content: 'All fine.' }, finish_reason: 'eos' }),
          DONE,
        ]),
      async ({ upstream }) => {
        const { end } = await readResponse(upstream.chat.stream(QUESTION));
        expect(end).toMatchObject({ text: 'All is well.', alternatives: ['All fine.'] });
      },
    );
  });

  test('a call of a tool once, if the server repeats it whole at the end', async () => {
    const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } };
    await withServer(
      (socket) =>
        stream(socket, [
          event({ tool_calls: [call] }),
          choice({ index: 0, message: { tool_calls: [call] }, finish_reason: 'tool_calls' }),
        ]),
      async ({ upstream }) => {
        const { end } = await readResponse(upstream.chat.stream(QUESTION));
        expect(end?.toolCalls).toEqual([{ id: 'a', name: 'f', arguments: '{"x":1}' }]);
      },
    );
  });

  test('a call of a tool whose id differs in each fragment', async () => {
    await withServer(
      (socket) =>
        stream(socket, [
          fragment('a', { name: 'f', arguments: '' }),
          fragment('b', { arguments: '{"x"' }),
          fragment('c', { name: '', arguments: ':1}' }),
          event({}, 'tool_calls'),
        ]),
      async ({ upstream }) => {
        const { end } = await readResponse(upstream.chat.stream(QUESTION));
        expect(end?.toolCalls).toEqual([{ id: 'a', name: 'f', arguments: '{"x":1}' }]);
      },
    );
  });
});
