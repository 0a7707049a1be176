import { expect, test } from '@jest/globals';
import { calculateCost, toDecimalDollars, type Model } from '../../shared/upstream/index.ts';
import { pick, user } from '../simulators/upstream/test-client.ts';
import { isObject, isText, type JsonObject } from '../simulators/upstream/json.ts';
import { reply } from '../upstream/raw-server.ts';
import { KEY, withServer } from '../upstream/raw-server-harness.ts';
import { TestTime } from '../upstream/time.ts';
import { row } from './rows.ts';
import { bodyOf, CURRENT, ROOMY, service } from './service.ts';

const { sim, send, ask, client, last } = service(ROOMY);

const HELLO = { model: 'model-c', messages: [{ role: 'user', content: 'hello' }] } as const;
const list = () => send({ path: '/v1/models' });

/** Each model of the list, as it is on the wire. */
async function items(): Promise<JsonObject[]> {
  const data = pick((await list()).json, 'data');
  const models = Array.isArray(data) ? data.filter((item) => isObject(item)) : [];
  expect(models.length).toBeGreaterThan(0);
  return models;
}

/** A model of the list, as the client reads it. */
async function read(id: string): Promise<Model> {
  const model = await client().models.get(id);
  if (model === undefined) throw new Error(`The list lacks ${id}.`);
  return model;
}

test(row('MOD-001'), async () => {
  expect((await list()).status).toBe(200);
  await withServer(
    (socket) => reply(socket, 200, { data: [] }),
    async ({ upstream, server }) => {
      await upstream.models.list();
      const [request] = server.requests;
      expect(request).toMatchObject({ method: 'GET', path: '/v1/models', body: {} });
      expect(request?.headers['authorization']).toBe(`Bearer ${KEY}`);
      expect(request?.headers['content-length'] ?? '0').toBe('0');
    },
  );
});

test(row('MOD-002'), async () => {
  const { status, json } = await list();
  expect([status, pick(json, 'object'), Array.isArray(pick(json, 'data'))]).toEqual([200, 'list', true]);
});

test(row('MOD-003'), async () => {
  expect((await send({ path: '/v1/models', headers: {} })).status).toBe(401);
  sim().control.setKey({ key: sim().apiKey, status: 'revoked' });
  expect((await list()).status).toBe(401);
});

test(row('MOD-004'), async () => {
  sim().control.setKey({ key: sim().apiKey, models: ['model-b', 'vendor-flash-3'] });
  expect((await items()).map(({ id }) => id)).toEqual(['model-b', 'vendor-flash-3']);
  expect((await ask({ model: 'model-c' })).status).toBe(404);
});

test(row('MOD-005'), async () => {
  for (const { id } of await items()) expect((await ask({ model: id })).status).toBe(200);
  const { models } = await client().models.list();
  expect(models.map(({ id }) => id)).toEqual((await items()).map(({ id }) => id));
});

test(row('MOD-006'), async () => {
  const data = [
    { id: 'a' },
    { id: 'b', object: 'model', pricing: null, context_length: 'x' },
    { object: 'model' },
  ];
  await withServer(
    (socket) => reply(socket, 200, { object: 'list', data }),
    async ({ upstream }) => {
      const { models } = await upstream.models.list();
      expect(models).toMatchObject([
        { id: 'a', ready: true },
        { id: 'b', contextLength: undefined },
      ]);
      expect(models).toHaveLength(2);
    },
  );
});

test(row('MOD-007'), async () => {
  for (const item of await items()) {
    expect(item).toMatchObject({
      object: 'model',
      created: expect.any(Number),
      owned_by: expect.any(String),
      name: expect.any(String),
      description: expect.any(String),
    });
    expect(Number.isInteger(item['created'])).toBe(true);
  }
});

test(row('MOD-008'), async () => {
  for (const item of await items()) {
    for (const name of ['input_modalities', 'output_modalities']) {
      const words = item[name];
      expect(Array.isArray(words) && words.length > 0 && words.every(isText)).toBe(true);
    }
  }
  expect((await read('vendor-flash-3')).inputModalities).toEqual(['text', 'image', 'video']);
  expect((await read('model-a')).outputModalities).toEqual(['text']);
});

test(row('MOD-009'), async () => {
  const content = [{ type: 'image', url: 'https://example.com/x.png' }] as const;
  const upstream = client({ fitToModel: true });
  const picture = { ...HELLO, messages: [{ role: 'user', content }] } as const;
  expect((await upstream.chat.complete(picture)).text).toContain('a picture');
  const requestsBefore = sim().journal.length;
  await expect(upstream.chat.complete({ ...picture, model: 'model-a' })).rejects.toMatchObject({
    kind: 'bad-request',
    code: 'unsupported_modality',
    message: expect.stringContaining('model-a does not support image'),
  });
  expect(sim().journal).toHaveLength(requestsBefore);
});

test(row('MOD-010'), async () => {
  const context = 400;
  sim().control.setModel('model-c', { context });
  expect((await items()).find(({ id }) => id === 'model-c')?.['context_length']).toBe(context);
  expect((await ask({ max_tokens: context })).status).toBe(400);
  expect((await read('model-c')).contextLength).toBe(context);
  const { usage } = await client({ fitToModel: true }).chat.complete(HELLO);
  const sent = Number(bodyOf(last())['max_tokens']);
  expect(sent + (usage?.promptTokens ?? Infinity)).toBeLessThanOrEqual(context);
});

test(row('MOD-011'), async () => {
  sim().control.setModel('model-c', { maxOutput: 9 });
  expect((await items()).find(({ id }) => id === 'model-c')?.['max_output_length']).toBe(9);
  const { json } = await ask({ max_tokens: 50, messages: [user('[[sim:tokens=50]]')] });
  expect(pick(json, 'usage', 'completion_tokens')).toBe(9);
  expect((await read('model-c')).maxOutputLength).toBe(9);
});

const PRICES = ['prompt', 'completion', 'image', 'request', 'input_cache_read'];

test(row('MOD-012'), async () => {
  for (const item of await items()) {
    for (const name of PRICES) expect(pick(item, 'pricing', name)).toMatch(/^\d+(\.\d+)?$/u);
  }
  expect((await read('model-a')).pricing).toEqual({
    prompt: '0.0000001',
    completion: '0.0000002',
    image: '0',
    request: '0',
    inputCacheRead: '0.000000025',
  });
});

test(row('MOD-013'), async () => {
  const { pricing } = await read('model-a');
  const usage = { promptTokens: 123_457, cachedTokens: 100_000, completionTokens: 789, reasoningTokens: 0 };
  const cost = calculateCost(usage, pricing);
  // In binary floats the same sum is 0.005003499999999999.
  expect([toDecimalDollars(cost.atto), cost.unpriced]).toEqual(['0.0050035', []]);
});

test(row('MOD-014'), () => {
  const usage = { promptTokens: 10, cachedTokens: 0, completionTokens: 10, reasoningTokens: 0 };
  expect(calculateCost(usage, { prompt: '1', request: '0' })).toEqual({
    atto: 10n ** 19n,
    unpriced: ['completion'],
  });
  expect(calculateCost(usage, undefined).unpriced).toEqual(['prompt', 'completion', 'request']);
  // Cached tokens cost no more than others, so the price of the prompt is never too low.
  const prices = { prompt: '1', completion: '0', request: '0' };
  const cached = { ...usage, cachedTokens: 4 };
  expect(calculateCost(cached, prices)).toEqual({ atto: 10n ** 19n, unpriced: [] });
  expect(calculateCost(cached, { ...prices, inputCacheRead: '0.5' })).toEqual({
    atto: 8n * 10n ** 18n,
    unpriced: [],
  });
  expect(calculateCost(cached, { completion: '0', request: '0' }).unpriced).toEqual(['prompt']);
  expect(calculateCost(usage, { prompt: '0', completion: '-1', request: '0' }).unpriced).toEqual([
    'completion',
  ]);
});

test(row('MOD-015'), async () => {
  for (const item of await items()) {
    const names = item['supported_sampling_parameters'];
    expect(Array.isArray(names) && names.includes('temperature')).toBe(true);
  }
  expect((await read('model-e')).samplingParameters).toContain('min_p');
});

test(row('MOD-016'), async () => {
  const probes: JsonObject = {
    temperature: 1,
    top_p: 0.5,
    top_k: 5,
    min_p: 0.1,
    repetition_penalty: 1.1,
    frequency_penalty: 1,
    presence_penalty: 1,
    logit_bias: { 5: 1 },
  };
  for (const item of (await items()).filter(({ id }) => CURRENT.some((model) => model === id))) {
    const names = item['supported_sampling_parameters'];
    const features = item['supported_features'];
    if (!Array.isArray(names) || !Array.isArray(features)) throw new Error('no lists');
    for (const [name, value] of Object.entries(probes)) {
      const { status } = await ask({ model: item['id'], [name]: value });
      expect([item['id'], name, status]).toEqual([item['id'], name, names.includes(name) ? 200 : 400]);
    }
    const { status } = await ask({ model: item['id'], logprobs: true });
    expect([item['id'], status]).toEqual([item['id'], features.includes('logprobs') ? 200 : 400]);
  }
});

test(row('MOD-017'), async () => {
  const knownFeatures = new Set(['tools', 'structured_outputs', 'reasoning', 'logprobs', 'streaming']);
  for (const item of await items()) {
    const features = item['supported_features'];
    expect(Array.isArray(features) && features.every((name) => isText(name) && knownFeatures.has(name))).toBe(
      true,
    );
  }
  expect((await read('model-a')).features).toEqual(expect.arrayContaining([...knownFeatures]));
});

test(row('MOD-018'), async () => {
  const without = (await items()).filter(
    (item) => !JSON.stringify(item['supported_features']).includes('tools'),
  );
  expect(without.map(({ id }) => id)).toEqual(['vendor-flash-3']);
});

test(row('MOD-019'), async () => {
  for (const item of await items()) expect(typeof item['hugging_face_id']).toBe('string');
  expect((await read('model-a')).huggingFaceId).toBe('example/model-a');
});

test(row('MOD-020'), async () => {
  sim().control.setModel('model-b', { ready: false });
  const flags = (await items()).map((item) => [item['id'], item['is_ready']]);
  expect(flags).toContainEqual(['model-a', true]);
  expect(flags).toContainEqual(['model-b', false]);
  expect((await read('model-b')).ready).toBe(false);
  sim().control.addFault({ fault: { kind: 'capacity', model: 'model-c' } });
  const options = { standIns: ['model-b', 'model-e'] };
  const { model } = await client({ fitToModel: true }).chat.complete(HELLO, options);
  expect(model).toBe('model-e');
  expect(sim().journal.map(({ body }) => pick(body, 'model'))).not.toContain('model-b');
});

test(row('MOD-021'), async () => {
  const time = new TestTime();
  const upstream = client({ time });
  const countListRequests = (): number => sim().journal.filter(({ path }) => path === '/v1/models').length;
  await Promise.all([upstream.models.list(), upstream.models.list()]);
  await upstream.models.list();
  expect(countListRequests()).toBe(1);
  time.advance(10 * 60_000);
  await upstream.models.list();
  expect(countListRequests()).toBe(2);
  await expect(upstream.chat.complete({ ...HELLO, model: 'gone' })).rejects.toMatchObject({
    kind: 'unknown-model',
  });
  await upstream.models.list();
  expect(countListRequests()).toBe(3);
});
