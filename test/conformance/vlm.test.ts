import { expect, test } from '@jest/globals';
import { row } from './rows.ts';
import { service } from './service.ts';

const { sim, send } = service();

const PATHS = [
  '/v1/images/upload',
  '/v1/images/search',
  '/v1/videos/upload',
  '/v1/videos/search',
  '/v1/clips',
];

test(row('VLM-001'), async () => {
  const headers = { 'x-api-key': sim().apiKey };
  for (const path of PATHS) {
    const json = await send({ path, headers, body: { anything: ['goes'] } });
    const bytes = await send({
      path,
      headers: { ...headers, 'content-type': 'image/png' },
      body: '\u0089PNG',
    });
    expect([path, json.status, bytes.status]).toEqual([path, 200, 200]);
    expect(json.headers).toHaveProperty('x-ratelimit-requests-limit');
  }
});

test(row('VLM-002'), async () => {
  const left: (string | undefined)[] = [];
  for (const path of ['/v1/messages', '/v1/responses', '/v1/messages']) {
    const { status, headers } = await send({ path, body: {} });
    expect(status).toBe(200);
    left.push(headers['x-ratelimit-remaining-requests']);
  }
  expect(left).toEqual(['29', '28', '27']);
});
