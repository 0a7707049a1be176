import { expect, test } from '@jest/globals';
import { pick, type Seen, user } from '../simulators/upstream/test-client.ts';
import { row } from './rows.ts';
import { service } from './service.ts';

const { sim, send, ask } = service();

const CHAT = '/v1/chat/completions';
const HEADERS = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
] as const;
const [LIMIT, REMAINING, RESET] = HEADERS;

const body = { model: 'model-c', messages: [user('[[sim:say=ok]]')] };

/** So many requests, one after the other at the same moment; how many were granted, and the last answer. */
async function burst(count: number, path = CHAT): Promise<{ granted: number; last: Seen }> {
  let granted = 0;
  let last: Seen | undefined;
  for (let n = 0; n < count; n += 1) {
    last = await send(path === '/v1/models' ? { path } : { path, body });
    if (last.status === 200) granted += 1;
  }
  if (last === undefined) throw new Error('Nothing was asked.');
  return { granted, last };
}

/** How many of `count` requests are granted when one is made every `everyMs`. */
async function paced(count: number, everyMs: number, path = CHAT): Promise<number> {
  let granted = 0;
  for (let n = 0; n < count; n += 1) {
    sim().control.advance(everyMs);
    granted += (await burst(1, path)).granted;
  }
  return granted;
}

test(row('LIM-001'), async () => {
  await burst(30);
  // Half a second after the other is 120 a minute; a little sooner and some are refused.
  expect(await paced(40, 500)).toBe(40);
  expect(await paced(40, 450)).toBe(36);
  expect((await burst(1)).last.headers[LIMIT]).toBe('120');
});

test(row('LIM-002'), async () => {
  expect((await burst(32)).granted).toBe(30);
});

test(row('LIM-003'), async () => {
  const { granted, last } = await burst(302, '/v1/models');
  expect([granted, last.status, last.headers[LIMIT]]).toEqual([300, 429, '300']);
  expect(await paced(20, 200, '/v1/models')).toBe(20);
});

test(row('LIM-004'), async () => {
  const models = ['model-a', 'model-b', 'vendor-flash-3'];
  for (let n = 0; n < 30; n += 1) await ask({ model: models[n % 3] });
  for (const model of ['model-d', ...models]) expect((await ask({ model })).status).toBe(429);
});

test(row('LIM-005'), async () => {
  const long = await ask({ messages: [user('[[sim:tokens=5000]]')], max_tokens: 5000 });
  expect(pick(long.json, 'usage', 'completion_tokens')).toBe(5000);
  expect(long.headers[REMAINING]).toBe('29');
  expect((await ask({ max_tokens: 1 })).headers[REMAINING]).toBe('28');
});

test(row('LIM-006'), async () => {
  await burst(14);
  await burst(8, '/v1/messages');
  await burst(8, '/v1/responses');
  for (const path of [CHAT, '/v1/messages', '/v1/responses'])
    expect((await burst(1, path)).last.status).toBe(429);
});

test(row('LIM-007'), async () => {
  await burst(30);
  sim().control.advance(5_000);
  expect((await burst(12)).granted).toBe(10);
  sim().control.advance(60_000);
  expect((await burst(32)).granted).toBe(30);
});

test(row('LIM-008'), async () => {
  const { granted, last } = await burst(31);
  expect([granted, last.status, pick(last.json, 'error', 'code')]).toEqual([30, 429, 'rate_limit_exceeded']);
  expect(last.headers['retry-after']).toBe('1');
});

test(row('LIM-009'), async () => {
  await burst(30);
  sim().control.advance(499);
  expect((await burst(1)).granted).toBe(0);
  sim().control.advance(1);
  expect((await burst(2)).granted).toBe(1);
});

/** Answers of many kinds: good, refused, limited, broken, streamed, of both endpoints. */
async function answers(): Promise<Seen[]> {
  const responses = [
    await ask(),
    await ask({ model: 'nope' }),
    await ask({ max_tokens: 0 }),
    await ask({ stream: true }),
  ];
  for (const status of [500, 503]) {
    sim().control.fail({ kind: 'error', status });
    responses.push(await ask());
  }
  responses.push(await send({ body, headers: {} }), await send({ path: '/v1/models' }));
  responses.push(await send({ path: '/v1/models', headers: {} }), (await burst(31)).last);
  return responses;
}

test(row('LIM-010'), async () => {
  const responses = await answers();
  expect(responses.map(({ status }) => status)).toEqual([200, 404, 400, 200, 500, 503, 401, 200, 401, 429]);
  for (const { headers } of responses) expect(headers[LIMIT]).toMatch(/^(120|300)$/u);
});

test(row('LIM-011'), async () => {
  for (const { headers } of await answers()) expect(headers[REMAINING]).toMatch(/^\d+$/u);
});

test(row('LIM-012'), async () => {
  for (const { headers } of await answers()) expect(headers[RESET]).toMatch(/^\d+(\.\d+)?(ms|s)$/u);
});

test(row('LIM-013'), async () => {
  expect((await ask()).headers[LIMIT]).toBe('120');
  expect((await send({ path: '/v1/models' })).headers[LIMIT]).toBe('300');
});

test(row('LIM-014'), async () => {
  expect((await ask()).headers[REMAINING]).toBe('29');
  expect((await burst(29)).last.headers[REMAINING]).toBe('0');
  sim().control.advance(2_000);
  expect((await ask()).headers[REMAINING]).toBe('3');
  sim().control.advance(3_600_000);
  expect((await ask()).headers[REMAINING]).toBe('29');
});

test(row('LIM-017'), async () => {
  const { headers } = await ask({ stream: true });
  expect(headers['content-type']).toMatch(/^text\/event-stream/u);
  expect(HEADERS.map((name) => headers[name])).toEqual(['120', '29', '500ms']);
});

test(row('LIM-018'), async () => {
  await burst(31);
  expect((await send({ path: '/v1/models' })).headers[REMAINING]).toBe('299');
  sim().reset();
  await burst(20, '/v1/models');
  expect((await ask()).headers[REMAINING]).toBe('29');
});

const DAY = 24 * 60 * 60_000;
const WINDOWS = {
  '/v1/images/upload': 100,
  '/v1/images/search': 100,
  '/v1/videos/upload': 50,
  '/v1/videos/search': 50,
  '/v1/clips': 10,
} as const;
const VISION = ['x-ratelimit-requests-limit', 'x-ratelimit-requests-remaining', 'x-ratelimit-requests-reset'];

test(row('LIM-020'), async () => {
  for (const [path, limit] of Object.entries(WINDOWS)) {
    const { granted, last } = await burst(limit + 1, path);
    expect([path, granted, last.status]).toEqual([path, limit, 429]);
    expect(last.headers['x-ratelimit-requests-limit']).toBe(String(limit));
  }
});

test(row('LIM-021'), async () => {
  await burst(4, '/v1/clips');
  sim().control.advance(6 * 3_600_000);
  expect((await burst(7, '/v1/clips')).granted).toBe(6);
  sim().control.advance(18 * 3_600_000 - 1);
  expect((await burst(1, '/v1/clips')).granted).toBe(0);
  sim().control.advance(1);
  expect((await burst(5, '/v1/clips')).granted).toBe(4);
});

test(row('LIM-022'), async () => {
  const { last } = await burst(11, '/v1/clips');
  expect([last.status, pick(last.json, 'error', 'code')]).toEqual([429, 'rate_limit_exceeded']);
  sim().control.advance(DAY);
  expect((await burst(1, '/v1/clips')).granted).toBe(1);
});

test(row('LIM-023'), async () => {
  for (const [path, count] of Object.entries(WINDOWS)) {
    const { last } = await burst(1, path);
    for (const name of [...VISION, 'retry-after']) expect(last.headers[name]).toMatch(/^\d+$/u);
    for (const name of HEADERS) expect(last.headers).not.toHaveProperty(name);
    const unknownKey = await send({ path, headers: { 'x-api-key': 'nobody' }, body });
    expect([unknownKey.status, unknownKey.headers['retry-after']]).toEqual([401, '0']);
    const { last: limited } = await burst(count, path);
    expect(limited.status).toBe(429);
    expect(limited.headers['retry-after']).toMatch(/^[1-9]\d*$/u);
    for (const response of [unknownKey, limited]) {
      for (const name of [...VISION, 'retry-after']) expect(response.headers[name]).toMatch(/^\d+$/u);
      for (const name of HEADERS) expect(response.headers).not.toHaveProperty(name);
    }
  }
  sim().control.advance(24 * 3_600_000);
  sim().control.addFault({ fault: { kind: 'limited' }, path: '/v1/clips', times: 1 });
  const { headers } = (await burst(1, '/v1/clips')).last;
  expect(headers['x-ratelimit-requests-remaining']).toBe('0');
  for (const name of HEADERS) expect(headers).not.toHaveProperty(name);
});

test(row('LIM-027'), async () => {
  sim().control.addVideo({ id: 'v-1' });
  const headers = { 'x-api-key': sim().apiKey };
  const audio = { audio_url: 'https://example.com/a.wav', sampling_rate: 16_000 };
  const unlimited = [
    { path: '/v1/transcription_or_translation', headers, body: audio },
    { path: '/v2/inference/model-a-video/image-to-video', headers, body: { input: {} } },
    { path: '/v1/videos/v-1', headers },
  ];
  for (const request of unlimited) {
    for (let n = 0; n < 40; n += 1) {
      const response = await send(request);
      expect(Math.floor(response.status / 100)).toBe(2);
      expect(Object.keys(response.headers).filter((name) => name.includes('ratelimit'))).toEqual([]);
    }
  }
});

test(row('LIM-028'), async () => {
  const left: unknown[] = [];
  for (const patch of [{}, { model: 'nope' }, { max_tokens: 0 }, {}])
    left.push((await ask(patch)).headers[REMAINING]);
  expect(left).toEqual(['29', '28', '27', '26']);
  await send({ body, headers: {} });
  expect((await ask()).headers[REMAINING]).toBe('25');
});
