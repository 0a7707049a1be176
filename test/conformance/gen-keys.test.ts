import { expect, test } from '@jest/globals';
import { user } from '../simulators/upstream/test-client.ts';
import { reply } from '../upstream/raw-server.ts';
import { QUESTION, asUpstreamError, readResponse, withServer } from '../upstream/raw-server-harness.ts';
import { row } from './rows.ts';
import { errorBody } from './samples.ts';
import { service } from './service.ts';

const { sim, send, client } = service();

const SUBMIT = '/v2/inference/model-a-video/image-to-video';

/** A path of each endpoint, with a body where it takes one. */
const ENDPOINTS: readonly (readonly [string, object?])[] = [
  ['/v1/chat/completions', { model: 'model-c', messages: [user('hello')] }],
  ['/v1/models'],
  ['/v1/transcription_or_translation', { audio_url: 'https://example.com/a.wav', sampling_rate: 16_000 }],
  [SUBMIT, { input: {} }],
  ['/v1/videos/v-1'],
  ['/v1/clips', {}],
  ['/v1/messages', {}],
];

test(row('GEN-012'), async () => {
  for (const [path, body] of ENDPOINTS)
    expect([path, (await send({ path, body, headers: {} })).status]).toEqual([path, 401]);
  const upstream = client({ apiKey: () => Promise.resolve('') });
  expect(asUpstreamError((await readResponse(upstream.chat.stream(QUESTION))).error)).toMatchObject({
    kind: 'auth',
    status: 401,
  });
});

test(row('GEN-013'), async () => {
  const key = sim().apiKey;
  sim().control.addVideo({ id: 'v-1' });
  sim().control.setKey({ key, status: 'revoked' });
  const headers = { authorization: `Bearer ${key}`, 'x-api-key': key };
  for (const [path, body] of ENDPOINTS)
    expect([path, (await send({ path, body, headers })).status]).toEqual([path, 401]);
  await expect(client().models.list()).rejects.toMatchObject({ kind: 'auth', status: 401 });
});

test(row('GEN-014'), async () => {
  await withServer(
    (socket) => reply(socket, 401, errorBody('authentication_error')),
    async ({ upstream, server, time }) => {
      const { error } = await readResponse(upstream.chat.stream(QUESTION, { standIns: ['model-b'] }));
      expect(asUpstreamError(error)).toMatchObject({ kind: 'auth', status: 401 });
      // The key is read again once (GEN-019). It is the same, so it is not sent again, by later requests neither.
      expect(server.requests.map(({ body }) => body['model'])).toEqual(['model-a']);
      await readResponse(upstream.chat.stream(QUESTION));
      expect(server.requests).toHaveLength(1);
      expect(time.waits).toEqual([]);
    },
  );
});

const askAs = (key: string) =>
  send({
    headers: { authorization: `Bearer ${key}` },
    body: { model: 'model-c', messages: [user('hello')] },
  });

test(row('GEN-015'), async () => {
  const { control } = sim();
  control.setKey({ key: 'k-1', user: 'ada' });
  control.setKey({ key: 'k-2', user: 'ada', status: 'revoked' });
  expect((await askAs('k-1')).status).toBe(200);
  expect((await askAs('k-2')).status).toBe(401);
  control.setKey({ key: 'k-2', user: 'ada' });
  expect((await askAs('k-2')).status).toBe(200);
  expect(sim().meter.map((metered) => metered.user)).toEqual(['ada', 'ada']);
});

test(row('GEN-016'), async () => {
  sim().control.setKey({ key: 'second', user: 'local' });
  const left: (number | undefined)[] = [];
  const options = {
    onRateLimit: (limits: { remaining?: number | undefined }) => left.push(limits.remaining),
  };
  const first = client();
  const second = client({ apiKey: () => Promise.resolve('second') });
  await first.chat.complete(QUESTION, options);
  await first.chat.complete(QUESTION, options);
  await second.chat.complete(QUESTION, options);
  await first.chat.complete(QUESTION, options);
  expect(left).toEqual([29, 28, 29, 27]);
});

test(row('GEN-019'), async () => {
  const old = sim().apiKey;
  await send({ path: '/__sim/keys', body: { key: 'rotated', user: 'local' } });
  await send({ path: '/__sim/keys', body: { key: old, status: 'revoked' } });
  const requests: unknown[] = [];
  const upstream = client({
    apiKey: async (how) => {
      requests.push(how);
      return how?.refresh === true ? 'rotated' : old;
    },
  });
  expect((await upstream.chat.complete(QUESTION)).finish).toBe('stop');
  expect(requests).toEqual([undefined, { refresh: true }]);
});
