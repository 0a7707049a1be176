import { expect, test } from '@jest/globals';
import { calculateCost, toDecimalDollars } from '../../shared/upstream/index.ts';
import { QUESTION, KEY } from '../upstream/raw-server-harness.ts';
import { overBytes, say, TEXT } from './over-bytes.ts';
import { onBytes } from './rows.ts';

const PRICING = {
  prompt: '0.0000001',
  completion: '2e-7',
  image: '0',
  request: '0.5',
  input_cache_read: '0.000000025',
};
const MODEL = {
  id: 'model-a',
  object: 'model',
  created: 1_700_000_000,
  owned_by: 'ü',
  name: TEXT,
  description: TEXT,
  input_modalities: ['text', 'image'],
  output_modalities: ['text'],
  context_length: 2_000,
  max_output_length: 700,
  pricing: PRICING,
  supported_sampling_parameters: ['temperature'],
  supported_features: ['tools', 'streaming'],
  hugging_face_id: 'x/y',
  is_ready: true,
};
const list = (...models: readonly object[]): { json: object } => ({ json: { object: 'list', data: models } });

/** The client reads this model as that one. */
const reads = (wire: object, expected: object): Promise<void> =>
  overBytes(
    () => list(wire),
    async ({ upstream }) => expect(await upstream.models.get('model-a')).toMatchObject(expected),
  );

test(onBytes('MOD-001'), () =>
  overBytes(
    () => list(MODEL),
    async ({ upstream, server }) => {
      await upstream.models.list();
      expect(server.requests).toMatchObject([
        { method: 'GET', path: '/v1/models', body: {}, headers: { authorization: `Bearer ${KEY}` } },
      ]);
      expect(server.requests[0]?.headers).not.toHaveProperty('x-api-key');
    },
  ),
);

test(onBytes('MOD-005'), () =>
  overBytes(
    (request, count) =>
      count === 1 ? list(MODEL, { id: 'ü/b' }, { object: 'model' }, { id: '' }) : say(request, count),
    async ({ upstream, server }) => {
      const { models } = await upstream.models.list();
      expect(models.map(({ id }) => id)).toEqual(['model-a', 'ü/b']);
      await upstream.chat.complete({ ...QUESTION, model: models[1]?.id ?? '' });
      expect(server.requests[1]?.body['model']).toBe('ü/b');
    },
  ),
);

test(onBytes('MOD-006'), async () => {
  const nulls = Object.fromEntries(Object.keys(MODEL).map((name) => [name, null]));
  for (const wire of [
    { id: 'model-a' },
    { ...nulls, id: 'model-a' },
    { id: 'model-a', context_length: 'x', pricing: [] },
  ])
    await reads(wire, {
      id: 'model-a',
      ready: true,
      contextLength: undefined,
      pricing: undefined,
      features: undefined,
    });
  await overBytes(
    () => ({ json: [{ id: 'bare' }] }),
    async ({ upstream }) => expect((await upstream.models.list()).models).toMatchObject([{ id: 'bare' }]),
  );
});

test(onBytes('MOD-008'), () =>
  reads(MODEL, { inputModalities: ['text', 'image'], outputModalities: ['text'] }),
);

test(onBytes('MOD-009'), () =>
  overBytes(
    (request, count) => (count === 1 ? list(MODEL) : say(request, count)),
    async ({ upstream, server }) => {
      const ask = (type: 'image' | 'video') =>
        ({
          ...QUESTION,
          messages: [{ role: 'user', content: [{ type, url: 'https://example.com/x' }] }],
        }) as const;
      expect((await upstream.chat.complete(ask('image'))).text).toBe(TEXT);
      await expect(upstream.chat.complete(ask('video'))).rejects.toMatchObject({
        code: 'unsupported_modality',
        message: expect.stringContaining('video'),
      });
      expect(server.requests).toHaveLength(2);
    },
    { fitToModel: true },
  ),
);

for (const [id, field, expected, least, limit] of [
  ['MOD-010', { context_length: 2_000, max_output_length: null }, { contextLength: 2_000 }, 1_800, 1_990],
  ['MOD-011', { max_output_length: 700, context_length: null }, { maxOutputLength: 700 }, 700, 700],
] as const)
  test(onBytes(id), async () => {
    await reads({ ...MODEL, ...field }, expected);
    await overBytes(
      (request, count) => (count === 1 ? list({ ...MODEL, ...field }) : say(request, count)),
      async ({ upstream, server }) => {
        await upstream.chat.complete(QUESTION);
        const maxTokens = Number(server.requests[1]?.body['max_tokens']);
        expect(maxTokens).toBeLessThanOrEqual(limit);
        expect(maxTokens).toBeGreaterThanOrEqual(least);
      },
      { fitToModel: true },
    );
  });

const { input_cache_read: inputCacheRead, ...prices } = PRICING;

test(onBytes('MOD-012'), () => reads(MODEL, { pricing: { ...prices, inputCacheRead } }));

test(onBytes('MOD-013'), () =>
  overBytes(
    () => list(MODEL),
    async ({ upstream }) => {
      const usage = {
        promptTokens: 123_457,
        cachedTokens: 100_000,
        completionTokens: 789,
        reasoningTokens: 0,
      };
      const cost = calculateCost(usage, (await upstream.models.get('model-a'))?.pricing);
      // In binary floats the sum without the price of the request is 0.005003499999999999.
      expect([toDecimalDollars(cost.atto), cost.unpriced]).toEqual(['0.5050035', []]);
    },
  ),
);

test(onBytes('MOD-014'), () =>
  overBytes(
    () => list({ id: 'model-a', pricing: { prompt: '1', completion: '-1', request: '' } }),
    async ({ upstream }) => {
      const usage = { promptTokens: 10, cachedTokens: 0, completionTokens: 10, reasoningTokens: 0 };
      const cost = calculateCost(usage, (await upstream.models.get('model-a'))?.pricing);
      expect(cost).toEqual({ atto: 10n ** 19n, unpriced: ['completion', 'request'] });
    },
  ),
);

test(onBytes('MOD-015'), () => reads(MODEL, { samplingParameters: ['temperature'] }));
test(onBytes('MOD-017'), () => reads(MODEL, { features: ['tools', 'streaming'] }));
test(onBytes('MOD-007'), () =>
  reads(MODEL, { name: TEXT, description: TEXT, ownedBy: 'ü', created: 1_700_000_000 }),
);
test(onBytes('MOD-019'), () => reads(MODEL, { huggingFaceId: 'x/y' }));

test(onBytes('MOD-020'), async () => {
  await reads({ ...MODEL, is_ready: false }, { ready: false });
  await overBytes(
    (request) => {
      if (request.path === '/v1/models')
        return list(MODEL, { id: 'model-b', is_ready: false }, { id: 'model-c' });
      const full = { error: { message: 'Full.', type: 'x', code: 'model_at_capacity' } };
      return request.body['model'] === 'model-a' ? { status: 429, json: full } : say(request, 1);
    },
    async ({ upstream, server }) => {
      await upstream.chat.complete(QUESTION, { standIns: ['model-b', 'model-c'] });
      expect(server.requests.map(({ body }) => body['model'])).toEqual([undefined, 'model-a', 'model-c']);
    },
    { fitToModel: true },
  );
});

test(onBytes('MOD-021'), () =>
  overBytes(
    ({ path }) =>
      path === '/v1/models'
        ? list(MODEL)
        : { status: 404, json: { error: { message: 'No.', type: 'x', code: 'model_not_found' } } },
    async ({ upstream, server, time }) => {
      const lists = (): number => server.requests.filter(({ path }) => path === '/v1/models').length;
      await Promise.all([upstream.models.list(), upstream.models.list()]);
      time.advance(10 * 60_000 - 1);
      await upstream.models.list();
      expect(lists()).toBe(1);
      time.advance(1);
      await upstream.models.list();
      expect(lists()).toBe(2);
      await expect(upstream.chat.complete(QUESTION)).rejects.toMatchObject({ kind: 'unknown-model' });
      await upstream.models.list();
      expect(lists()).toBe(3);
    },
  ),
);
