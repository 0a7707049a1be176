import { describe, expect, test } from '@jest/globals';
import { createKeys } from '../../../../functions/composition/models/api-keys.ts';
import { createLimits } from '../../../../functions/composition/rate-limits.ts';
import {
  createChatModel,
  createUpstreamClient,
} from '../../../../functions/composition/models/chat-model.ts';
import type { ChatOptions } from '../../../../shared/ports/index.ts';
import { readWorkerConfig } from '../../../../shared/runtime/config/config.ts';
import { answerOf, reply, stream, streamHead } from '../../../upstream/raw-server.ts';
import {
  getSchemaFields,
  withArgumentsAsText,
} from '../../../../functions/composition/models/schema-fields.ts';
import type { Model } from '../../../../shared/upstream/index.ts';
import { KEY, QUESTION, readResponse, until, withServer } from '../../../upstream/raw-server-harness.ts';

const CONFIG = readWorkerConfig({
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  CONVERSATIONS_TABLE: 'conversations',
  TOKENS_TABLE: 'tokens',
  TASK_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/q.fifo',
  VOICE_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/v.fifo',
  ALONE_QUEUE: 'a.fifo',
  DEAD_QUEUE: 'd.fifo',
  MEDIA_BUCKET: 'media',
  PUBLIC_URL: 'https://bot.example',
  SLACK_SIGNING_SECRET_ID: 'arn:signing',
  SLACK_BOT_SECRET_ID: 'arn:bot',
  SLACK_OAUTH_SECRET_ID: 'arn:oauth',
  DISCORD_BOT_SECRET_ID: 'arn:discord',
  SEAL_KEY_ID: 'arn:seal',
  UPSTREAM_SECRET_ID: 'arn:upstream',
  UPSTREAM_BASE_URL: 'http://127.0.0.1:9',
  UPSTREAM_MODEL: 'model-a',
  SYSTEM_PROMPT: 'You are Parley.',
});

const log = (): void => undefined;

/** The requests of the model port to a server. `busy`: models that report no capacity. */
async function chatRequests(
  overrides: Partial<ChatOptions>,
  busy: readonly string[] = [],
  models: readonly Model[] = [],
) {
  return await withServer(
    (socket, { body }) => {
      if (!busy.includes(String(body['model']))) return stream(socket, answerOf('Yes.'));
      return reply(socket, 429, {
        error: { code: 'model_at_capacity', type: 'rate_limit_error', message: 'full' },
      });
    },
    async ({ upstream, server, time }) => {
      const keys = createKeys(
        { load: async () => ({ apiKey: KEY }), refresh: async () => ({ apiKey: KEY }) },
        time.now,
      );
      const limits = createLimits(CONFIG, keys, log);
      const chat = createChatModel(CONFIG, keys, limits, log, upstream, async () => models);
      const options = {
        signal: new AbortController().signal,
        deadline: time.now() + 60_000,
        beforeAttempt: () => Promise.resolve(),
        maxTokens: 64,
        ...overrides,
      };
      for await (const event of chat.stream([{ role: 'user', content: 'Why?' }], options)) {
        if (event.type === 'end') break;
      }
      return server.requests.map(({ body }) => body);
    },
  );
}

test('the sampling settings of people reach the server', async () => {
  const sampling = { temperature: 0.2, frequencyPenalty: 0.5, reasoningEffort: 'low' } as const;
  expect(await chatRequests({ sampling })).toMatchObject([
    { model: 'model-a', temperature: 0.2, frequency_penalty: 0.5, reasoning_effort: 'low', max_tokens: 64 },
  ]);
});

test('a model has the configured time for the first part of its answer', async () => {
  await withServer(
    (socket) => streamHead(socket),
    async ({ server, time }) => {
      const keys = createKeys(
        { load: async () => ({ apiKey: KEY }), refresh: async () => ({ apiKey: KEY }) },
        time.now,
      );
      const config = { ...CONFIG, upstreamBaseUrl: server.url, firstTokenSeconds: 90 };
      const upstream = createUpstreamClient(config, keys, createLimits(config, keys, log), undefined, time);
      const reading = readResponse(upstream.chat.stream(QUESTION));
      await until(() => server.requests.length === 1);
      time.advance(89_999);
      expect(time.pending).toBe(1);
      time.advance(1);
      expect((await reading).error).toMatchObject({ kind: 'timeout', code: 'first_token' });
      await upstream.close();
    },
  );
});

test('the schema of an answer is requested as strict', async () => {
  const schema = { type: 'object', properties: { title: { type: 'string' } } } as const;
  expect(await chatRequests({ format: { name: 'form', schema } })).toMatchObject([
    { response_format: { type: 'json_schema', json_schema: { name: 'form', schema, strict: true } } },
  ]);
});

const modelWith = (...features: string[]): Model => ({ id: 'model-a', ready: true, features });

describe('a schema for a model', () => {
  const format = { name: 'form', schema: { type: 'object', properties: { title: { type: 'string' } } } };

  test('with tools and without structured outputs is that of a tool which it has to call', async () => {
    const sampling = { stop: ['END'], logitBias: { 7: -100 } };
    const [body] = await chatRequests({ format, sampling }, [], [modelWith('tools', 'streaming')]);
    expect(body).toMatchObject({
      tool_choice: 'required',
      tools: [{ type: 'function', function: { name: 'form', parameters: format.schema } }],
    });
    for (const field of ['response_format', 'stop', 'logit_bias']) expect(body).not.toHaveProperty(field);
  });

  test.each([
    ['with both', ['tools', 'structured_outputs']],
    ['with neither', []],
  ])('%s is a response format; the client replaces it where it is not supported', (_, features) => {
    expect(getSchemaFields(format, modelWith(...features), 'current')).toEqual({
      responseFormat: { type: 'json_schema', ...format, strict: true },
    });
  });

  test('in the legacy shape is that of a tool, whatever else the model lists', () => {
    const both = modelWith('tools', 'structured_outputs');
    expect(getSchemaFields(format, both, 'legacy')).toMatchObject({ toolChoice: 'required' });
  });

  test('is answered by the arguments of the tool call, or by text if the model calls no tool', () => {
    const end = { type: 'end', text: '', finish: 'tool_calls', model: 'model-a' } as const;
    const call = { id: 'c1', name: 'form', arguments: '{"title":"Login"}' };
    expect(withArgumentsAsText({ ...end, toolCalls: [call] })).toEqual({ ...end, text: call.arguments });
    expect(withArgumentsAsText({ ...end, text: '{}', toolCalls: [] })).toMatchObject({ text: '{}' });
  });
});

test('while a model is at capacity, its stand-in models are asked in their order', async () => {
  const models = await chatRequests({ model: 'model-b', standIns: ['model-c', 'model-d'] }, [
    'model-b',
    'model-c',
  ]);
  expect(models.map(({ model }) => model)).toEqual(['model-b', 'model-c', 'model-d']);
});
