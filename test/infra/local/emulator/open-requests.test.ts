import { afterEach, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { trackRequests } from '../../../../infra/local/emulator/dynamodb/open-requests.ts';
import { listen } from '../../../../infra/local/listen.ts';

const closing: (() => unknown)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

/** A server that answers when it is told to. */
async function heldServer() {
  const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server = createServer();
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const requests = trackRequests(server);
  server.on('request', (request, response) => {
    if (request.destroyed) return;
    request.resume().on('end', () => {
      started.resolve();
      void gate.promise.then(() => response.end('ok'));
    });
  });
  const url = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
  return { requests, url, started: started.promise, answer: gate.resolve };
}

test.each([
  ['a client that waits', false],
  ['a client that is gone', true],
])('the request of %s is handled to its end, and others are refused', async (_, isGone) => {
  const at = await heldServer();
  const client = new AbortController();
  const response = fetch(at.url, { method: 'POST', body: '{}', signal: client.signal }).then(
    (sent) => sent.text(),
    () => 'gone',
  );
  await at.started;
  if (isGone) client.abort();
  let isFinished = false;
  const finished = at.requests.finish(60_000).then(() => (isFinished = true));
  await expect(fetch(at.url)).rejects.toThrow('fetch failed');
  expect(isFinished).toBe(false);
  at.answer();
  await finished;
  expect(await response).toBe(isGone ? 'gone' : 'ok');
});

test('a request that does not end is waited for up to the limit', async () => {
  const at = await heldServer();
  await expect(at.requests.finish(60_000)).resolves.toBeUndefined();
  const other = await heldServer();
  const answer = fetch(other.url).then((sent) => sent.text());
  await other.started;
  await other.requests.finish(10);
  other.answer();
  expect(await answer).toBe('ok');
});
