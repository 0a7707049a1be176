import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  Calibration,
  calculateCost,
  toDecimalDollars,
  estimateRequest,
  estimateText,
  fitRequest,
  calculateOutputBudget,
  parsePrice,
} from '../../shared/upstream/index.ts';
import { parseModels } from '../../shared/upstream/models/model.ts';
import { reply } from './raw-server.ts';
import { QUESTION, KEY, withServer } from './raw-server-harness.ts';

const LISTED = {
  id: 'model-a',
  object: 'model',
  created: 1,
  owned_by: 'x',
  name: 'Model A',
  description: 'd',
  input_modalities: ['text', 'image'],
  output_modalities: ['text'],
  context_length: 8_000,
  max_output_length: 2_000,
  pricing: {
    prompt: '0.0000001',
    completion: '0.0000002',
    image: '0',
    request: '0',
    input_cache_read: '2.5e-8',
  },
  supported_sampling_parameters: ['temperature', 'top_p', 'top_k'],
  supported_features: ['tools', 'streaming'],
  hugging_face_id: 'x/y',
  is_ready: true,
};

const retirementOf = (fields: object) => parseModels([{ id: 'model-a', ...fields }])?.[0]?.retirement;

describe('the retirement of a model', () => {
  test.each(['shutdown_date', 'expiration_date', 'deprecation'])('is read from %s', (name) => {
    expect(retirementOf({ [name]: '2027-03-01' })).toEqual({
      at: Date.UTC(2027, 2, 1),
      replacement: undefined,
    });
  });

  test('has the recommended model, if the server names one', () => {
    const fields = { deprecation: '2027-03-01T12:00:00Z', deprecation_replacement_model: 'model-b' };
    expect(retirementOf(fields)).toEqual({ at: Date.UTC(2027, 2, 1, 12), replacement: 'model-b' });
  });

  test.each([{}, { shutdown_date: null }, { shutdown_date: 'soon' }, { deprecation: true }])(
    'is unknown for %j',
    (fields) => {
      expect(retirementOf(fields)).toBeUndefined();
    },
  );
});

describe('prices', () => {
  test.each([
    ['0', 0n],
    ['1', 10n ** 18n],
    ['1e-7', 10n ** 11n],
    ['.5', 5n * 10n ** 17n],
    ['0.000000000000000001', 1n],
    ['0.0000000000000000010', 1n],
    ['1E2', 100n * 10n ** 18n],
    ['1e-19', undefined],
    ['-1', undefined],
    ['', undefined],
    ['.', undefined],
    ['free', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('%s', (text, atto) => {
    expect(parsePrice(text)).toBe(atto);
  });

  test('the cost is exact where binary floats are not', () => {
    const tokens = { promptTokens: 123_457, completionTokens: 789 };
    const usage = { ...tokens, reasoningTokens: 500, cachedTokens: 100_000 };
    const pricing = { prompt: '0.0000001', completion: '0.0000002', request: '0', inputCacheRead: '2.5e-8' };
    const { atto, unpriced: unknown } = calculateCost(usage, pricing);
    expect(toDecimalDollars(atto)).toBe('0.0050035');
    expect(unknown).toEqual([]);
  });

  test('components without a price are listed, not free; cached tokens then cost the prompt price', () => {
    const usage = { promptTokens: 10, completionTokens: 1, reasoningTokens: 0, cachedTokens: 4 };
    const cost = calculateCost(usage, { prompt: '1', completion: '2' }, 3);
    expect(cost).toEqual({ atto: 12n * 10n ** 18n, unpriced: ['image', 'request'] });
    const pricing = { prompt: '1', completion: '2', image: '3', request: '4' };
    expect(calculateCost(usage, pricing, 3, 2)).toEqual({ atto: 29n * 10n ** 18n, unpriced: [] });
    expect(calculateCost(usage, undefined).unpriced).toEqual(['prompt', 'completion', 'request']);
  });

  test('toDecimalDollars and parsePrice are inverse', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), (atto) => {
        expect(parsePrice(toDecimalDollars(atto))).toBe(atto);
      }),
    );
    expect(toDecimalDollars(-5n * 10n ** 17n)).toBe('-0.5');
  });
});

describe('token estimates', () => {
  test.each([
    ['plain words of English prose, as people write them in a chat', 12],
    ['これは日本語の文章です。', 9],
    ['https://example.com/a/b/c?token=9f86d081884c7d659a2feaa0c55ad015', 28],
    ['😀😀😀', 4],
    ['', 0],
  ])('%s is close to the count of a tokenizer', (text, counted) => {
    const estimate = estimateText(text);
    expect(estimate).toBeGreaterThanOrEqual(Math.floor(counted * 0.75));
    expect(estimate).toBeLessThanOrEqual(Math.ceil(counted * 2));
  });

  test('learn from the counted tokens, within bounds, per model', () => {
    const calibration = new Calibration();
    calibration.learn('a', 100, 150);
    expect(calibration.factor('a')).toBe(1.5);
    calibration.learn('a', 100, 100);
    expect(calibration.factor('a')).toBeCloseTo(1.4);
    calibration.learn('b', 1, 1_000_000);
    expect(calibration.factor('b')).toBe(4);
    calibration.learn('c', 0, 10);
    expect(calibration.factor('c')).toBe(1);
  });

  test('count tools, calls and media too', () => {
    const message = {
      role: 'user',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'image', url: 'data:,' },
      ],
    } as const;
    const bare = estimateRequest({ messages: [message] });
    expect(bare).toBeGreaterThan(1_000);
    expect(estimateRequest({ messages: [message], tools: [{ name: 'f' }] })).toBeGreaterThan(bare);
  });

  test('limit the output to what the context and the model allow', () => {
    const model = { contextLength: 8_000, maxOutputLength: 2_000 };
    expect(calculateOutputBudget(4_096, 1_000, model)).toEqual({ kind: 'room', maxTokens: 2_000 });
    expect(calculateOutputBudget(4_096, 7_000, model)).toEqual({ kind: 'room', maxTokens: 586 });
    expect(calculateOutputBudget(4_096, 7_500, model)).toEqual({ kind: 'full', excess: 195 });
    expect(calculateOutputBudget(50, 7_500, model)).toEqual({ kind: 'room', maxTokens: 50 });
    expect(calculateOutputBudget(4_096, 1e9, {})).toEqual({ kind: 'room', maxTokens: 4_096 });
  });
});

test('an Ollama without models has an empty list, and another body is none', () => {
  expect(parseModels({ object: 'list', data: null })).toEqual([]);
  expect(parseModels({ data: null })).toBeUndefined();
});

describe('a request fitted to a model', () => {
  const [model] = parseModels({ object: 'list', data: [LISTED, { object: 'model' }, null] }) ?? [];
  if (model === undefined) throw new Error('no model');

  test('leaves out what the model lacks and reports it', () => {
    const request = {
      ...QUESTION,
      temperature: 1,
      topK: 4,
      minP: 0.1,
      seed: 7,
      logprobs: true,
      topLogprobs: 3,
      responseFormat: { type: 'json_schema', name: 'n', schema: { type: 'object' } },
    } as const;
    const fitted = fitRequest(request, model);
    expect(fitted.omitted).toEqual(['min_p', 'seed', 'logprobs', 'response_format']);
    expect(fitted.request).toEqual({
      ...QUESTION,
      temperature: 1,
      topK: 4,
      messages: [
        { role: 'system', content: expect.stringContaining('{"type":"object"}') },
        ...QUESTION.messages,
      ],
    });
  });

  test('is unchanged when the model lists nothing', () => {
    const request = { ...QUESTION, minP: 0.1, tools: [{ name: 'f' }] };
    expect(fitRequest(request, { id: 'x', ready: true })).toEqual({ request, omitted: [] });
  });

  test('is rejected when it holds media that the model does not support', () => {
    const messages = [{ role: 'user', content: [{ type: 'video', url: 'https://x/v.mp4' }] }] as const;
    expect(() => fitRequest({ model: 'model-a', messages }, model)).toThrow('does not support video');
  });
});

describe('the model list', () => {
  test('is requested once by concurrent callers and cached for ten minutes', async () => {
    await withServer(
      (socket) => reply(socket, 200, { object: 'list', data: [LISTED, { id: 'bare' }] }),
      async ({ upstream, server, time }) => {
        const [one, other] = await Promise.all([upstream.models.get('model-a'), upstream.models.get('bare')]);
        expect(one).toMatchObject({
          contextLength: 8_000,
          pricing: { prompt: '0.0000001' },
          ready: true,
          huggingFaceId: 'x/y',
        });
        expect(other).toEqual({ id: 'bare', ready: true });
        expect(await upstream.models.get('none')).toBeUndefined();
        expect(server.requests).toHaveLength(1);
        expect(server.requests[0]).toMatchObject({
          method: 'GET',
          path: '/v1/models',
          headers: { authorization: `Bearer ${KEY}` },
        });
        time.advance(600_000);
        await upstream.models.list();
        expect(server.requests).toHaveLength(2);
        upstream.models.clearCache();
        await upstream.models.list();
        expect(server.requests).toHaveLength(3);
        expect(time.pending).toBe(0);
      },
    );
  });

  test.each([
    ['max_model_len', { max_model_len: 4_096 }, { contextLength: 4_096 }],
    ['max_context_length', { max_context_length: 4_096 }, { contextLength: 4_096 }],
    [
      'context_window and max_completion_tokens',
      { context_window: 4_096, max_completion_tokens: 512 },
      { contextLength: 4_096, maxOutputLength: 512 },
    ],
    [
      'several names, of which ours counts',
      { context_length: 8_000, max_model_len: 4_096 },
      { contextLength: 8_000 },
    ],
    ['a length of 0, which is unknown', { context_length: 0 }, { contextLength: undefined }],
  ])('of another server has the lengths of a model as %s', async (_, lengths, expected) => {
    await withServer(
      (socket) => reply(socket, 200, { data: [{ id: 'bare', ...lengths }] }),
      async ({ upstream }) => expect(await upstream.models.get('bare')).toMatchObject(expected),
    );
  });

  test('of OpenRouter has what its models take in and support', async () => {
    const model = {
      id: 'maker/model-a',
      context_length: 128_000,
      architecture: {
        modality: 'text+image->text',
        input_modalities: ['text', 'image'],
        output_modalities: ['text'],
      },
      top_provider: { context_length: 128_000, max_completion_tokens: 16_384, is_moderated: true },
      supported_parameters: [
        'max_tokens',
        'seed',
        'tools',
        'tool_choice',
        'structured_outputs',
        'temperature',
      ],
    };
    await withServer(
      (socket) => reply(socket, 200, { data: [model] }),
      async ({ upstream }) =>
        expect(await upstream.models.get(model.id)).toMatchObject({
          inputModalities: ['text', 'image'],
          outputModalities: ['text'],
          maxOutputLength: 16_384,
          samplingParameters: expect.arrayContaining(['seed', 'temperature']),
          features: ['tools', 'structured_outputs'],
        }),
    );
  });

  test('that is malformed is an error and is requested again', async () => {
    await withServer(
      (socket) => reply(socket, 200, { object: 'list' }),
      async ({ upstream, server }) => {
        await expect(upstream.models.list()).rejects.toMatchObject({ kind: 'malformed' });
        await expect(upstream.models.list()).rejects.toMatchObject({ kind: 'malformed' });
        expect(server.requests).toHaveLength(2);
      },
    );
  });
});
