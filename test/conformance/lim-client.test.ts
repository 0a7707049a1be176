import { expect, test } from '@jest/globals';
import { CHAT_LIMIT, createGcraRule } from '../../shared/rate-limits/index.ts';
import { TokenBuckets } from '../../shared/storage/index.ts';
import type { RateLimitInfo } from '../../shared/upstream/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { createBucket } from '../simulators/upstream/limits/bucket.ts';
import { answerOf, reply, stream } from '../upstream/raw-server.ts';
import { QUESTION, readResponse, withServer } from '../upstream/raw-server-harness.ts';
import { row } from './rows.ts';
import { service } from './service.ts';

const { client } = service();

const HELLO = { model: 'model-c', messages: [{ role: 'user', content: 'hello' }] } as const;

/** What the client reports of an answer with these headers. */
async function seenOf(headers: Record<string, string>): Promise<RateLimitInfo[]> {
  const infos: RateLimitInfo[] = [];
  await withServer(
    (socket) => stream(socket, answerOf('Hi'), headers),
    async ({ upstream }) => {
      const { end } = await readResponse(
        upstream.chat.stream(QUESTION, { onRateLimit: (limits) => infos.push(limits) }),
      );
      expect(end?.text).toBe('Hi');
    },
  );
  return infos;
}

test(row('LIM-015'), async () => {
  const infos: RateLimitInfo[] = [];
  await client().chat.complete(HELLO, { onRateLimit: (limits) => infos.push(limits) });
  expect(infos).toMatchObject([{ limit: 120, remaining: 29 }]);
  // Nothing else is made of the two: no "used", and a call that seems to be beyond its limit is made all the same.
  expect(Object.keys(infos[0] ?? {}).toSorted()).toEqual([
    'limit',
    'model',
    'remaining',
    'resetMs',
    'retryAfterMs',
    'status',
  ]);
  const empty = { 'x-ratelimit-limit-requests': '120', 'x-ratelimit-remaining-requests': '0' };
  expect(await seenOf(empty)).toMatchObject([{ limit: 120, remaining: 0, status: 200 }]);
});

test(row('LIM-016'), async () => {
  const forms: Readonly<Record<string, number | undefined>> = {
    '500ms': 500,
    '6m0s': 360_000,
    '1h2m3.5s': 3_723_500,
    '15': 15_000,
    '0.5': 500,
    '1767225603': 3_000,
    '1767225603000': 3_000,
    'Thu, 01 Jan 2026 00:00:03 GMT': 3_000,
    '2026-01-01T00:00:03Z': 3_000,
    soon: undefined,
    '-3': undefined,
  };
  for (const [form, resetMs] of Object.entries(forms)) {
    const [limits] = await seenOf({ 'x-ratelimit-reset-requests': form });
    expect([form, limits?.resetMs]).toEqual([form, resetMs]);
  }
  const limited = { error: { message: 'No.', type: 'x', code: 'rate_limit_exceeded' } };
  await withServer(
    (socket, _, count) =>
      count === 1
        ? reply(socket, 429, limited, { 'retry-after': '2', 'x-ratelimit-reset-requests': '4s' })
        : stream(socket, answerOf('Hi')),
    async ({ upstream, time }) => {
      await readResponse(upstream.chat.stream(QUESTION));
      expect(time.waits).toEqual([2_250]);
    },
  );
});

test(row('LIM-019'), async () => {
  let now = 1_700_000_000_000;
  const buckets = new TokenBuckets(createMemoryDynamo(), 'tokens', () => now);
  const theirs = createBucket(CHAT_LIMIT);
  const end = now + 3 * 60_000;
  let sent = 0;
  for (let free = 0; now < end;) {
    const decision = await buckets.take('KEY#1#chat', createGcraRule(CHAT_LIMIT), { maxWaitMs: 10_000 });
    if (!decision.granted) throw new Error('a wait of ten seconds is enough');
    free += decision.waitMs === 0 ? 1 : 0;
    now += decision.waitMs;
    sent += 1;
    expect(theirs.take(now).allowed).toBe(true);
    expect(free).toBeLessThanOrEqual(CHAT_LIMIT.burst);
  }
  expect(CHAT_LIMIT).toEqual({ perMinute: 120, burst: 30 });
  expect(sent).toBeLessThanOrEqual(3 * 120 + 30);
  expect(sent).toBeGreaterThan(3 * 115);
});

test(row('LIM-024'), async () => {
  const [limits] = await seenOf({ 'x-ratelimit-requests-reset': '86400', 'retry-after': '0' });
  expect(limits?.resetMs).toBe(86_400_000);
  const infos: RateLimitInfo[] = [];
  await client().vision.call('clips', { json: {} }, { onRateLimit: (each) => infos.push(each) });
  expect(infos).toMatchObject([{ limit: 10, remaining: 9, resetMs: 86_400_000 }]);
});

test(row('LIM-025'), async () => {
  const infos: RateLimitInfo[] = [];
  const options = { onRateLimit: (each: RateLimitInfo) => infos.push(each), maxWaitMs: 1_000 };
  const { vision } = client({ windows: { take: () => Promise.resolve({ granted: true }) } });
  for (let n = 0; n < 10; n += 1) await vision.call('clips', { json: {} }, options);
  expect(infos.map(({ status, retryAfterMs }) => [status, retryAfterMs])).toEqual(
    Array.from({ length: 10 }, () => [200, 0]),
  );
  await expect(vision.call('clips', { json: {} }, options)).rejects.toMatchObject({ kind: 'rate-limited' });
  expect(infos.at(-1)).toMatchObject({ status: 429, retryAfterMs: 86_400_000 });
});

test(row('LIM-026'), async () => {
  const chat = { 'limit-requests': '120', 'remaining-requests': '29', 'reset-requests': '500ms' };
  const vision = { 'requests-limit': '10', 'requests-remaining': '9', 'requests-reset': '60' };
  const namesOf = (words: Record<string, string>) =>
    Object.fromEntries(Object.entries(words).map(([name, value]) => [`x-ratelimit-${name}`, value]));
  expect(await seenOf(namesOf(chat))).toMatchObject([{ limit: 120, remaining: 29, resetMs: 500 }]);
  expect(await seenOf(namesOf(vision))).toMatchObject([{ limit: 10, remaining: 9, resetMs: 60_000 }]);
});
