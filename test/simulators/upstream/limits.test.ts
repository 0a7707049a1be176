import { describe, expect, test } from '@jest/globals';
import { ask, askLegacy, pick, send, standing } from './test-client.ts';
import type { Seen } from './test-client.ts';
import type { UpstreamCore } from './core.ts';

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const apiKey = (key: string) => ({ 'x-api-key': key });
const body = { model: 'model-c', messages: [{ role: 'user', content: 'hello' }] };

function withKeys(): { core: UpstreamCore; at: { now: number } } {
  const instance = standing();
  const { keys } = instance.core.state;
  keys.set('second', { key: 'second', user: 'local', status: 'active', models: ['model-a'] });
  keys.set('other', { key: 'other', user: 'someone', status: 'active' });
  keys.set('old', { key: 'old', user: 'local', status: 'revoked' });
  return instance;
}

describe('keys', () => {
  test('GEN-001 GEN-002 GEN-003 GEN-007 GEN-012 GEN-013 MOD-003 a missing or revoked key is 401', () => {
    const { core } = withKeys();
    for (const headers of [{}, bearer('old'), bearer('nope'), { authorization: 'Basic sim-key-local' }]) {
      expect(send(core, { headers, body }).status).toBe(401);
      expect(send(core, { path: '/v1/models', headers }).status).toBe(401);
    }
    expect(send(core, { headers: apiKey('old'), body }).status).toBe(401);
    expect(send(core, { path: '/v1/models', headers: apiKey('sim-key-local') }).status).toBe(401);
  });

  test('GEN-015 GEN-016 LIM-001 each key has its own counters, whoever owns it', () => {
    const { core } = withKeys();
    for (let n = 0; n < 31; n += 1) ask(core);
    expect(ask(core).status).toBe(429);
    expect(send(core, { headers: bearer('second'), body: { ...body, model: 'model-a' } }).status).toBe(200);
  });

  test('MOD-004 a key sees and uses its own models only', () => {
    const { core } = withKeys();
    const { json } = send(core, { path: '/v1/models', headers: bearer('second') });
    expect(pick(json, 'data')).toHaveLength(1);
    expect(send(core, { headers: bearer('second'), body }).status).toBe(404);
  });
});

test('GEN-005 MOD-001 MOD-002 MOD-005 MOD-007 MOD-008 MOD-010 MOD-011 MOD-012 MOD-015 MOD-016 MOD-017 MOD-018 MOD-019 MOD-020 the list of models has the documented fields', () => {
  const { core } = standing();
  const { json } = send(core, { path: '/v1/models' });
  expect(pick(json, 'object')).toBe('list');
  const data = pick(json, 'data');
  if (!Array.isArray(data)) throw new Error('no list');
  expect(data.map((model) => pick(model, 'id'))).toEqual([
    ...'abcde'.split('').map((letter) => `model-${letter}`),
    'vendor-edge-2603',
    'vendor-flash-3',
    'vendor-flash',
  ]);
  const price = expect.stringMatching(/^\d+(?:\.\d+)?$/u);
  for (const model of data) {
    expect(model).toMatchObject({
      object: 'model',
      created: expect.any(Number),
      input_modalities: expect.arrayContaining(['text']),
      output_modalities: ['text'],
      pricing: { prompt: price, completion: price, image: price, request: price, input_cache_read: price },
      is_ready: true,
    });
    for (const name of ['owned_by', 'name', 'description', 'hugging_face_id'])
      expect(typeof pick(model, name)).toBe('string');
    expect(Number(pick(model, 'max_output_length'))).toBeLessThanOrEqual(
      Number(pick(model, 'context_length')),
    );
  }
  const listing = (name: string): unknown[] =>
    data
      .filter((model) => String(pick(model, 'supported_sampling_parameters')).split(',').includes(name))
      .map((model) => pick(model, 'id'));
  expect(listing('min_p')).toEqual(['model-e']);
  expect(listing('repetition_penalty')).toEqual(['model-b', 'model-c', 'model-d', 'model-e']);
  expect(pick(data[6], 'supported_features')).not.toContain('tools');
});

function limitsOf({ headers }: Seen): unknown[] {
  return ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}-requests`]);
}

describe('the chat limit', () => {
  test('LIM-002 LIM-004 LIM-007 LIM-008 LIM-009 ERR-010 ERR-012 is 30 at once, then two a second, over all models', () => {
    const { core, at } = standing();
    for (let n = 0; n < 30; n += 1)
      expect(ask(core, { model: n % 2 === 0 ? 'model-a' : 'model-c' }).status).toBe(200);
    const response = ask(core);
    expect([response.status, response.headers['retry-after'], pick(response.json, 'error', 'code')]).toEqual([
      429,
      '1',
      'rate_limit_exceeded',
    ]);
    at.now += 499;
    expect(ask(core).status).toBe(429);
    at.now += 1;
    expect(ask(core).status).toBe(200);
    expect(ask(core).status).toBe(429);
    at.now += 60_000;
    let sent = 0;
    while (ask(core).status === 200) sent += 1;
    expect(sent).toBe(30);
  });

  test('LIM-010 LIM-011 LIM-012 LIM-013 LIM-014 LIM-016 LIM-017 LIM-028 is in the headers of every response', () => {
    const { core } = standing();
    expect(limitsOf(ask(core))).toEqual(['120', '29', '500ms']);
    expect(limitsOf(ask(core, { stream: true }))).toEqual(['120', '28', '1s']);
    expect(limitsOf(ask(core, { messages: [] }))).toEqual(['120', '27', '1.5s']);
    expect(limitsOf(ask(core, { model: 'no' }))).toEqual(['120', '26', '2s']);
    expect(limitsOf(send(core, { headers: {}, body }))).toEqual(['120', '30', '0ms']);
    expect(limitsOf(askLegacy(core))).toEqual(['120', '25', '2.5s']);
    core.state.settings = { ...core.state.settings, resetForm: 'seconds' };
    expect(limitsOf(ask(core))).toEqual(['120', '24', '3']);
  });

  test('LIM-005 counts a long answer as one request', () => {
    const { core } = standing();
    const { headers } = ask(core, { messages: [{ role: 'user', content: '[[sim:tokens=900]]' }] });
    expect(headers['x-ratelimit-remaining-requests']).toBe('29');
  });

  test('LIM-003 LIM-018 is 300, then five a second, for models with a limit of their own', () => {
    const { core, at } = standing();
    for (let n = 0; n < 300; n += 1) expect(send(core, { path: '/v1/models' }).status).toBe(200);
    expect(send(core, { path: '/v1/models' }).status).toBe(429);
    expect(ask(core).status).toBe(200);
    at.now += 200;
    const { status, headers } = send(core, { path: '/v1/models' });
    expect([status, headers['x-ratelimit-limit-requests']]).toEqual([200, '300']);
  });

  test('LIM-006 VLM-002 also counts messages and responses', () => {
    const { core } = standing();
    for (const path of ['/v1/messages', '/v1/responses'])
      expect(send(core, { path, body: {} }).status).toBe(200);
    expect(ask(core).headers['x-ratelimit-remaining-requests']).toBe('27');
  });
});

describe('the daily limits of the vision endpoints', () => {
  const day = 24 * 60 * 60 * 1000;
  const headers = apiKey('sim-key-local');

  test.each([
    ['/v1/images/upload', 100],
    ['/v1/images/search', 100],
    ['/v1/videos/upload', 50],
    ['/v1/videos/search', 50],
    ['/v1/clips', 10],
  ])('LIM-020 LIM-021 LIM-022 LIM-023 LIM-024 LIM-025 VLM-001 ERR-020 %s: %d in 24 hours', (path, limit) => {
    const { core, at } = standing();
    const start = at.now;
    const one = () => send(core, { path, headers, body: {} });
    const first = one().headers;
    expect(first['x-ratelimit-requests-limit']).toBe(String(limit));
    expect(first['x-ratelimit-requests-remaining']).toBe(String(limit - 1));
    expect([first['x-ratelimit-requests-reset'], first['retry-after']]).toEqual(['86400', '0']);
    at.now += 60 * 60 * 1000;
    for (let n = 1; n < limit; n += 1) expect(one().status).toBe(200);
    const response = one();
    expect(response.json).toEqual({ error: { code: 'rate_limit_exceeded', message: expect.any(String) } });
    expect([response.status, response.headers['retry-after']]).toEqual([429, String(23 * 3600)]);
    at.now = start + day - 1;
    expect(one().status).toBe(429);
    at.now = start + day;
    expect(one().status).toBe(200);
    expect(one().status).toBe(429);
  });
});

describe('errors', () => {
  const shape = { message: expect.any(String), type: expect.any(String), code: null, param: null };
  test('ERR-001 ERR-002 ERR-003 ERR-006 ERR-007 ERR-021 have one envelope', () => {
    const { core } = standing();
    expect(send(core, { body: 'x' }).json).toEqual({ error: { ...shape, type: 'validation_error' } });
    expect(ask(core, { frequency_penalty: 3 }).json).toMatchObject({ error: { param: 'frequency_penalty' } });
    expect(ask(core, { min_p: 3 }).json).toMatchObject({
      error: { param: 'min_p', code: 'unsupported_parameter' },
    });
  });

  test('ERR-013 ERR-014 of a model at capacity differ from a rate limit: requests remain', () => {
    const { core } = standing();
    core.state.rules.add({ fault: { kind: 'capacity', model: 'model-c' } });
    const { status, headers, json } = ask(core);
    expect([status, headers['retry-after'], pick(json, 'error', 'code')]).toEqual([
      429,
      '1',
      'model_at_capacity',
    ]);
    expect(headers['x-ratelimit-remaining-requests']).toBe('29');
    expect(ask(core, { model: 'model-d' }).status).toBe(200);
  });

  test('ERR-017 ERR-019 of the server have an id', () => {
    const { core } = standing();
    core.state.rules.add({ fault: { kind: 'error', status: 503 }, times: 1 });
    const { status, headers, json } = ask(core);
    expect([status, pick(json, 'id')]).toEqual([503, headers['x-request-id']]);
    expect(ask(core).status).toBe(200);
  });

  test('are 404 for an unknown path and 405 for a wrong method', () => {
    const { core } = standing();
    expect(send(core, { path: '/v1/nothing' }).status).toBe(404);
    expect(send(core, { path: '/v1/chat/completions' })).toMatchObject({
      status: 405,
      headers: { allow: 'POST' },
    });
  });
});

/** The limit headers of an answer. */
const has = ({ headers }: Seen) =>
  Object.keys(headers).filter((name) => /^x-ratelimit-|^retry-after/u.test(name));

test.each([
  ['all', true, true],
  ['retry-after', false, true],
  ['none', false, false],
] as const)('servers of the format differ in their limit headers: %s', (limitHeaders, rate, retry) => {
  const { core } = standing({ limitHeaders });
  expect(has(ask(core)).length > 0).toBe(rate);
  for (let n = 0; n < 30; n += 1) ask(core);
  const response = ask(core);
  expect(response.status).toBe(429);
  expect(has(response).some((name) => name.startsWith('x-ratelimit-'))).toBe(rate);
  expect(has(response).includes('retry-after')).toBe(retry);
  core.state.settings.limitHeaders = 'all';
  expect(has(ask(core))).toContain('retry-after');
});
