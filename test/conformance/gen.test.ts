import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { pick, user } from '../simulators/upstream/test-client.ts';
import { answerOf, data, event, reply, stream } from '../upstream/raw-server.ts';
import { QUESTION, asUpstreamError, KEY, readResponse, withServer } from '../upstream/raw-server-harness.ts';
import { row } from './rows.ts';
import { service } from './service.ts';
import { HANDLE, recording, VIDEO } from './samples.ts';

const { sim, send, ask, legacy, client } = service();

const SUBMIT = '/v2/inference/model-a-video/image-to-video';
const INPUT = { model: 'model-a-video', input: { prompt: 'a boat' } };

test(row('GEN-001'), async () => {
  const { baseUrl, visionUrl } = sim();
  expect((await send({ path: '/v1/models' })).status).toBe(200);
  await withServer(
    (socket) => reply(socket, 200, VIDEO),
    async ({ server }) => {
      const upstream = client({ baseUrl, visionUrl: server.url });
      expect((await upstream.vision.video('v-1')).videoId).toBe('v-1');
      await upstream.chat.complete(QUESTION);
      await upstream.models.list();
      await upstream.speech.transcribe({ audio: recording() });
      expect(server.requests).toHaveLength(1);
      expect(sim().journal).toHaveLength(1 + 3);
    },
  );
  expect(() => client({ visionUrl: 'not an address' })).toThrow('Invalid URL');
  await expect(client({ visionUrl: undefined }).vision.video('v-1')).rejects.toMatchObject({
    code: 'no_vision_url',
  });
  expect(visionUrl).toMatch(/^http/u);
});

test(row('GEN-002'), async () => {
  sim().control.addVideo({ id: 'v-1' });
  const upstream = client();
  await upstream.chat.complete(QUESTION);
  await upstream.models.list();
  await upstream.speech.transcribe({ audio: recording() });
  await upstream.vision.video('v-1');
  await upstream.vision.call('clips', { json: {} });
  expect(sim().journal.map(({ path, status }) => [path, status])).toEqual([
    ['/v1/chat/completions', 200],
    ['/v1/models', 200],
    ['/v1/transcription_or_translation', 200],
    ['/v1/videos/v-1', 200],
    ['/v1/clips', 200],
  ]);
  expect((await send({ path: '/models' })).status).toBe(404);
});

test(row('GEN-003'), async () => {
  await client().vision.submit(INPUT);
  expect(sim().journal.map(({ path, status }) => [path, status])).toEqual([[SUBMIT, 202]]);
  expect((await send({ path: SUBMIT.replace('v2', 'v1'), body: { input: {} } })).status).toBe(404);
});

test(row('GEN-004'), async () => {
  const upstream = client();
  const { models } = await upstream.models.list();
  for (const { id } of models) await upstream.chat.complete({ ...QUESTION, model: id });
  const requests = sim().journal.slice(1);
  expect(requests.map(({ body }) => pick(body, 'model'))).toEqual(models.map(({ id }) => id));
  expect(requests.every(({ status }) => status === 200)).toBe(true);
});

test(row('GEN-005'), async () => {
  const { json } = await send({ path: '/v1/models' });
  const ids = Array.from({ length: 9 }, (_, at) => pick(json, 'data', at, 'id'));
  const models = ['model-a', 'model-b', 'model-c', 'model-d', 'model-e'];
  const vendor = ['vendor-edge-2603', 'vendor-flash-3', 'vendor-flash'];
  expect(ids).toEqual([...models, ...vendor, undefined]);
});

test(row('GEN-006'), async () => {
  await withServer(
    (socket, { path }) =>
      path === '/v1/models'
        ? reply(socket, 200, { data: [{ id: 'brand-new-1' }] })
        : stream(socket, answerOf('Hi')),
    async ({ upstream, server }) => {
      expect(await upstream.models.get('brand-new-1')).toMatchObject({ id: 'brand-new-1' });
      const response = await readResponse(upstream.chat.stream({ ...QUESTION, model: 'brand-new-1' }));
      expect(response.end?.text).toBe('Hi');
      expect(server.requests[1]?.body['model']).toBe('brand-new-1');
    },
  );
});

test(row('GEN-007'), async () => {
  await withServer(
    (socket, { path }) =>
      path === '/v1/models' ? reply(socket, 200, { data: [] }) : stream(socket, answerOf('Hi')),
    async ({ upstream, server }) => {
      await readResponse(upstream.chat.stream(QUESTION));
      await upstream.models.list();
      for (const { headers } of server.requests) {
        expect(headers['authorization']).toBe(`Bearer ${KEY}`);
        expect(headers).not.toHaveProperty('x-api-key');
      }
      expect(server.requests).toHaveLength(2);
    },
  );
  expect((await ask()).status).toBe(200);
  const headers = { 'x-api-key': sim().apiKey };
  expect((await send({ path: '/v1/models', headers })).status).toBe(401);
});

test(row('GEN-008'), async () => {
  await withServer(
    (socket, { path }) =>
      reply(socket, 200, path.endsWith('completions') ? LEGACY : { transcript: 'one two' }),
    async ({ upstream, server }) => {
      await upstream.chat.complete({ ...QUESTION, model: 'vendor-flash' });
      await upstream.speech.transcribe({ audio: recording() });
      for (const { headers } of server.requests) {
        expect(headers['x-api-key']).toBe(KEY);
        expect(headers).not.toHaveProperty('authorization');
      }
      expect(server.requests).toHaveLength(2);
    },
    { shape: 'legacy' },
  );
  expect((await legacy()).status).toBe(200);
  const body = { audio_url: 'https://example.com/a.wav', sampling_rate: 16_000 };
  const path = '/v1/transcription_or_translation';
  expect((await send({ path, body })).status).toBe(401);
  expect((await send({ path, body, headers: { 'x-api-key': sim().apiKey } })).status).toBe(200);
});

const LEGACY = {
  id: 'c-1',
  model: 'vendor-flash',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { input_tokens: 1, output_tokens: 1 },
};

test(row('GEN-009'), async () => {
  const key = sim().apiKey;
  for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }]) {
    expect((await send({ path: SUBMIT, headers, body: { input: {} } })).status).toBe(202);
  }
  expect((await send({ path: SUBMIT, headers: {}, body: { input: {} } })).status).toBe(401);
  expect(await client().vision.submit(INPUT)).toMatchObject({ status: 'IN_QUEUE' });
});

test(row('GEN-010'), async () => {
  await withServer(
    (socket) => reply(socket, 200, VIDEO),
    async ({ server }) => {
      await client({ visionUrl: server.url, apiKey: () => Promise.resolve(KEY) }).vision.video('v-1');
      const credentials = { authorization: `Bearer ${KEY}`, 'x-api-key': KEY };
      expect(server.requests[0]?.headers).toMatchObject(credentials);
    },
  );
});

test(row('GEN-011'), async () => {
  sim().control.addVideo({ id: 'v-1' });
  const headers = { 'x-api-key': sim().apiKey };
  expect((await send({ path: '/v1/videos/v-1', headers })).status).toBe(200);
  expect((await send({ path: '/v1/videos/v-1', headers: {} })).status).toBe(401);
});

test(row('GEN-017'), async () => {
  const body = JSON.stringify({ model: 'model-c', messages: [user('hello')] });
  const status = async (type: string): Promise<number> => {
    const headers = { authorization: `Bearer ${sim().apiKey}`, 'content-type': type };
    return (await send({ headers, body })).status;
  };
  expect(await status('application/json')).toBe(200);
  expect(await status('application/json; charset=utf-8')).toBe(200);
  expect(await status('text/plain')).toBe(400);
  expect(await status('application/x-www-form-urlencoded')).toBe(400);
});

test(row('GEN-018'), async () => {
  await client().chat.complete(QUESTION);
  await readResponse(client().chat.stream(QUESTION));
  const types = sim().journal.map(({ headers }) => headers['content-type']);
  expect(types).toEqual(['application/json', 'application/json']);
});

test(row('GEN-020'), async () => {
  const more = { novelty: { deep: [1] }, system_fingerprint: 'x', service_tier: null };
  await withServer(
    (socket) =>
      stream(socket, [event({ content: 'Hi', mood: 'good' }, null, more), event({}, 'stop', more)], {
        'x-novelty': 'yes',
        deprecation: 'true',
      }),
    async ({ upstream }) => {
      expect((await readResponse(upstream.chat.stream(QUESTION))).end).toMatchObject({
        text: 'Hi',
        finish: 'stop',
      });
    },
  );
});

test(row('GEN-021'), async () => {
  await withServer(
    (socket, { path }) => {
      if (path.endsWith('completions')) stream(socket, [event({ content: 'Hi' }), event({}, 'astonished')]);
      else if (path.includes('/videos/'))
        reply(socket, 200, { ...VIDEO, indexing_type: 'holographic', indexing_status: 'dreaming' });
      else reply(socket, 202, HANDLE(server(), 'MEDITATING'));
    },
    async ({ server: { url } }) => {
      address = url;
      const upstream = client({ baseUrl: url, visionUrl: url });
      expect((await readResponse(upstream.chat.stream(QUESTION))).end?.finish).toBe('astonished');
      expect(await upstream.vision.video('v-1')).toMatchObject({
        indexingType: 'holographic',
        indexingStatus: 'dreaming',
      });
      const handle = await upstream.vision.submit(INPUT);
      expect(handle.status).toBe('MEDITATING');
      expect(await upstream.vision.status(handle)).toMatchObject({ state: 'unknown', status: 'MEDITATING' });
    },
  );
});
let address = '';
const server = (): string => address;

test(row('GEN-022'), async () => {
  const errorBody = { error: { message: `Your key ${KEY}`, type: KEY, code: KEY, param: KEY }, id: KEY };
  for (const status of [400, 401, 404, 429, 500]) {
    await withServer(
      (socket) => reply(socket, status, errorBody),
      async ({ upstream }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error).status).toBe(status);
        expect(inspect(error, { depth: null, showHidden: true })).not.toContain(KEY);
      },
    );
  }
  await withServer(
    (socket) => stream(socket, [event({ content: 'Hi' }), data(errorBody)]),
    async ({ upstream }) => {
      const { error } = await readResponse(upstream.chat.stream(QUESTION));
      expect(asUpstreamError(error).partialText).toBe('Hi');
      expect(inspect(error, { depth: null, showHidden: true })).not.toContain(KEY);
    },
  );
});
