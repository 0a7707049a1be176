import { afterEach, expect, test } from '@jest/globals';
import { checkUpstream } from '../../../infra/configuration/index.ts';
import { createProbe } from '../../../infra/configuration/probe.ts';
import { serve } from './serve.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** The checks of a server with these responses. */
async function checksOf(routes: Parameters<typeof serve>[0], model = 'model-e') {
  const server = await serve(routes);
  closing.push(server.close);
  const settings = { baseUrl: server.url, apiKey: 'key', models: { UPSTREAM_MODEL: [model] } };
  return checkUpstream(settings, createProbe(10_000));
}

const REFUSED = { status: 401, body: { error: { message: 'x-api-key is required' } } };

test.each([
  [400, 401, 'warn', 'does not let the key list models (401)'],
  [422, 403, 'warn', 'does not let the key list models (401)'],
  // Looks at the request before the key.
  [400, 400, 'fail', 'refuses the key (401)'],
  [401, 401, 'fail', 'refuses the key (401)'],
  [404, 404, 'fail', 'refuses the key (401)'],
])(
  'a list that refuses the key says little, if chat answers %d, and %d to a wrong key',
  async (status, wrongKeyStatus, result, finding) => {
    const chat = { status, wrongKeyStatus };
    const checks = await checksOf({ 'GET /v1/models': REFUSED, 'POST /v1/chat/completions': chat });
    expect(checks).toMatchObject([
      { name: 'UPSTREAM_API_KEY', result, finding: expect.stringContaining(finding) },
    ]);
  },
);

test.each<[string, unknown, string, string]>([
  ['a bare list, as of Together', [{ id: 'model-e' }], 'model-e', 'pass'],
  ['no models, as of Ollama', { object: 'list', data: null }, 'model-e', 'pass'],
  ['ids with a prefix, as of Gemini', { data: [{ id: 'models/model-e' }] }, 'model-e', 'pass'],
  [
    'ids with a prefix, and one that is set so',
    { data: [{ id: 'models/model-e' }] },
    'models/model-e',
    'pass',
  ],
  ['another id with a prefix', { data: [{ id: 'models/model-e' }] }, 'model-f', 'warn'],
])('a list is read: %s', async (_, body, model, result) => {
  expect(await checksOf({ 'GET /v1/models': { body } }, model)).toMatchObject([{ result }]);
});
