import { describe, expect, test } from '@jest/globals';
import { data, DONE, event, reply, stream } from './raw-server.ts';
import { QUESTION, readResponse, withServer } from './raw-server-harness.ts';

const TEXT = event({ content: 'All is well.' });
const STOP = event({}, 'stop');
const chatError = (message: string, more: object = {}) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null, ...more },
});

describe('a server that refuses tools is asked again without them, and for an hour not with them', () => {
  const TOOLS = [{ name: 'look_up', description: 'Looks up a word.', parameters: { type: 'object' } }];
  test.each<[string, number, unknown]>([
    [
      'Ollama',
      400,
      chatError('registry.ollama.ai/library/gemma:2b does not support tools', { type: 'api_error' }),
    ],
    [
      'vLLM',
      400,
      {
        object: 'error',
        message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
    ],
    ['OpenAI', 400, chatError('tools is not supported in this model.', { param: 'tools' })],
    [
      'OpenRouter in front of vLLM',
      400,
      chatError('Provider returned error', {
        code: 400,
        metadata: { raw: '{"object":"error","message":"this model does not support tools","code":400}' },
      }),
    ],
    ['Azure OpenAI', 404, chatError('Unrecognized request argument supplied: tools')],
    [
      'Gemma at Gemini',
      400,
      [
        {
          error: {
            code: 400,
            message: 'Function calling is not enabled for models/gemma-3-27b-it',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
    ],
    ['Bedrock', 400, chatError("This model doesn't support tool use in streaming mode.", { param: 'None' })],
    [
      'OpenRouter, of the choice of tools',
      404,
      { error: { message: "No endpoints found that support the provided 'tool_choice' value.", code: 404 } },
    ],
    ['OpenRouter', 404, { error: { message: 'No endpoints found that support tool use.', code: 404 } }],
    ['a gateway in front of DeepInfra', 405, chatError('Tool calling is not supported for model: a/b')],
    [
      'llama.cpp',
      500,
      { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } },
    ],
    ['llama.cpp of 2024', 500, { code: 500, message: 'Unsupported param: tools', type: 'server_error' }],
  ])('%s', async (_, status, rejection) => {
    await withServer(
      (socket, { path, body }) => {
        if (path === '/v1/models') reply(socket, 404, {});
        else if ('tools' in body) reply(socket, status, rejection);
        else stream(socket, [TEXT, STOP]);
      },
      async ({ upstream, server }) => {
        const question = { ...QUESTION, tools: TOOLS, toolChoice: 'auto' as const };
        const answer = await readResponse(upstream.chat.stream(question));
        expect(answer.end).toMatchObject({ text: 'All is well.', omitted: ['tools'] });
        await readResponse(upstream.chat.stream(question));
        const sent = server.requests.filter(({ path }) => path !== '/v1/models');
        expect(sent.map(({ body }) => 'tools' in body)).toEqual([true, false, false]);
      },
      { fitToModel: true },
    );
  });

  test.each([
    'The tools and messages are too long for this model.',
    'Images are not supported in tool messages.',
    'Unsupported schema type in function declaration.',
  ])('other errors are not a refusal: %s', async (message) => {
    const error = { message, param: null, code: null };
    await withServer(
      (socket, { path }) => (path === '/v1/models' ? reply(socket, 404, {}) : reply(socket, 400, { error })),
      async ({ upstream, server }) => {
        await readResponse(upstream.chat.stream({ ...QUESTION, tools: TOOLS }));
        expect(server.requests.filter(({ path }) => path !== '/v1/models')).toHaveLength(1);
      },
      { fitToModel: true },
    );
  });

  test.each(['before the stream', 'inside the stream'])(
    'a call that Groq could not read takes the tools away for this request only: %s',
    async (place) => {
      const error = {
        message:
          "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
        type: 'invalid_request_error',
        code: 'tool_use_failed',
        failed_generation: '<function=look_up{"word"}',
      };
      await withServer(
        (socket, { path, body }) => {
          if (path === '/v1/models') reply(socket, 404, {});
          else if (!('tools' in body)) stream(socket, [TEXT, STOP]);
          else if (place === 'before the stream') reply(socket, 400, { error });
          else stream(socket, [event({ role: 'assistant' }), data({ error }), DONE]);
        },
        async ({ upstream, server }) => {
          for (let n = 0; n < 2; n += 1) {
            const { end } = await readResponse(upstream.chat.stream({ ...QUESTION, tools: TOOLS }));
            expect(end).toMatchObject({ text: 'All is well.', omitted: ['tools'] });
          }
          const sent = server.requests.filter(({ path }) => path !== '/v1/models');
          expect(sent.map(({ body }) => 'tools' in body)).toEqual([true, false, true, false]);
        },
        { fitToModel: true },
      );
    },
  );

  test('one tool that is rejected takes the tools away for this request only', async () => {
    const error = {
      message: "Invalid schema for function 'look_up'.",
      param: 'tools[0].function.parameters',
      code: 'invalid_function_parameters',
    };
    await withServer(
      (socket, { path, body }) => {
        if (path === '/v1/models') reply(socket, 404, {});
        else if ('tools' in body) reply(socket, 400, { error });
        else stream(socket, [TEXT, STOP]);
      },
      async ({ upstream, server }) => {
        for (let n = 0; n < 2; n += 1)
          await readResponse(upstream.chat.stream({ ...QUESTION, tools: TOOLS }));
        const sent = server.requests.filter(({ path }) => path !== '/v1/models');
        expect(sent.map(({ body }) => 'tools' in body)).toEqual([true, false, true, false]);
      },
      { fitToModel: true },
    );
  });
});
