import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  DiscordApiError,
  type DiscordCall,
  DiscordRateLimitError,
} from '../../../../shared/platforms/discord/api/call.ts';
import { createRestCall, type RestCallConfig } from '../../../../shared/platforms/discord/api/rest-client.ts';
import { clock, replaceClock, restoreClock } from '../clock.ts';

const CHANNEL = '301000000000000001';
const OTHER = '301000000000000002';
const GET = { method: 'GET', path: `/channels/${CHANNEL}` } as const;
const POST = { method: 'POST', path: `/channels/${CHANNEL}/messages`, body: { content: 'x' } } as const;
const EDIT = {
  method: 'PATCH',
  path: '/webhooks/900/SECRET/messages/@original',
  byInteractionToken: true,
} as const;

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
let handler: Handler;
let requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(`${request.method} ${request.url}`);
  void handler(request, response);
});
let apiUrl = '';
const respond = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): void => {
  handler = (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
};
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  apiUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/api`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  replaceClock();
  requests = [];
  respond(200, {});
});
afterEach(restoreClock);

const client = (more: Partial<RestCallConfig> = {}): DiscordCall =>
  createRestCall({
    apiUrl,
    applicationId: '900',
    token: async () => 'token',
    now: clock.now,
    random: () => 0,
    ...more,
  });
const tokens =
  (fresh: string): RestCallConfig['token'] =>
  async (options) =>
    options?.refresh ? fresh : 'old';
const bucket = (remaining: number, seconds: number) => ({
  'x-ratelimit-limit': '5',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset-after': String(seconds),
  'x-ratelimit-bucket': 'b',
});
const failure = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a request', () => {
  test('carries the user agent that Discord requires, and the bot token only if it needs it', async () => {
    const bodies: unknown[] = [];
    handler = ({ headers }, response) => {
      bodies.push(headers.authorization, headers['user-agent']);
      response.writeHead(204).end();
    };
    const call = client();
    expect(await call(GET)).toBeUndefined();
    expect(await call(EDIT)).toBeUndefined();
    const userAgent = expect.stringMatching(/^DiscordBot \(https:\S+, \S+\) Parley\/900$/);
    expect(bodies).toEqual(['Bot token', userAgent, undefined, userAgent]);
    expect(requests).toEqual([
      `GET /api/v10/channels/${CHANNEL}`,
      'PATCH /api/v10/webhooks/900/SECRET/messages/@original',
    ]);
  });

  test('carries files and their types in a multipart body', async () => {
    let sent = '';
    handler = async (request, response) => {
      sent = await text(request);
      response.writeHead(204).end();
    };
    const file = { name: 'a.txt', type: 'text/plain', content: Buffer.from('hello') };
    await client()({ ...POST, files: [file] });
    expect(sent).toContain('name="payload_json"\r\n\r\n{"content":"x"}');
    expect(sent).toMatch(/name="files\[0\]"; filename="a\.txt"\r\ncontent-type: text\/plain\r\n\r\nhello/iu);
  });

  test('is sent once, whatever fails: only the caller knows whether it may be repeated', async () => {
    respond(502, {});
    await expect(client()(POST)).rejects.toThrow(/^no usable answer from Discord: status 502$/);
    handler = ({ socket }) => void socket.destroy();
    await expect(client()(POST)).rejects.toThrow(/^no answer from Discord: TypeError$/);
    handler = (_, response) => void response.writeHead(302, { location: `${apiUrl}/elsewhere` }).end();
    await expect(client()(POST)).rejects.toThrow(/^no answer from Discord: TypeError$/);
    expect(requests).toHaveLength(3);
  });

  test('rejects with the code of Discord when Discord refuses it', async () => {
    respond(404, { code: 10_008, message: 'Unknown Message' });
    await expect(client()(GET)).rejects.toEqual(new DiscordApiError(404, 10_008));
    handler = (_, response) => void response.writeHead(403, { 'content-type': 'text/html' }).end('<html>');
    await expect(client()(GET)).rejects.toEqual(new DiscordApiError(403, 0));
  });

  test('is sent once more with a fresh bot token after a 401', async () => {
    handler = ({ headers }, response) =>
      void response
        .writeHead(headers.authorization === 'Bot new' ? 200 : 401, { 'content-type': 'application/json' })
        .end('{"id":"1"}');
    expect(await client({ token: tokens('new') })(GET)).toEqual({ id: '1' });
    await expect(client({ token: tokens('old') })(GET)).rejects.toMatchObject({ status: 401 });
    expect(requests).toHaveLength(3);
  });

  test('ends at its deadline, which includes waiting for its bucket and reading the body', async () => {
    handler = (_, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).write('{"content":"');
    const call = client({ timeoutMs: 60 });
    const sent = [call(GET), call(GET)].map(failure);
    for (const error of await Promise.all(sent))
      expect(error).toMatchObject({ message: expect.stringMatching(/^no answer from Discord: /) });
    expect(requests).toHaveLength(1);
  });

  test('rejects when the response is larger than 2 MB', async () => {
    handler = (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify('x'.repeat(2 * 1024 * 1024)));
    await expect(client()(GET)).rejects.toThrow(/^no answer from Discord: Error$/);
  });

  test('leaves neither its interaction token nor its body in an error', async () => {
    const body = { content: 'CONFIDENTIAL' };
    const answers: readonly Handler[] = [
      (_, response) => void response.writeHead(404, { 'content-type': 'application/json' }).end('{"code":1}'),
      (_, response) => void response.writeHead(500).end(),
      (_, response) =>
        void response.writeHead(429, { 'x-ratelimit-scope': 'user', 'retry-after': '1' }).end(),
      ({ socket }) => void socket.destroy(),
    ];
    for (const answer of answers) {
      handler = answer;
      const error = await failure(client()({ ...EDIT, body }));
      const all = error instanceof Error ? [error.stack, error.cause, JSON.stringify(error)].join() : '';
      expect(all).toMatch(/Discord/);
      expect(all).not.toMatch(/SECRET|CONFIDENTIAL/);
    }
  });
});

describe('a rate limit', () => {
  test('of a bucket without remaining requests holds back that channel alone, until it resets', async () => {
    respond(200, {}, bucket(0, 2));
    const call = client();
    await call(GET);
    // The package learns the name of the bucket from the first response.
    await call(GET);
    await expect(call(GET)).rejects.toBeInstanceOf(DiscordRateLimitError);
    await call({ ...GET, path: `/channels/${OTHER}` });
    expect(requests).toHaveLength(3);
    await clock.sleep(2_100);
    await call(GET);
    expect(requests).toHaveLength(4);
  });

  test('ignores the query when it tells routes apart', async () => {
    respond(200, {}, bucket(0, 2));
    const call = client();
    const read = (after: number) =>
      call({ method: 'GET', path: `/channels/${CHANNEL}/messages?after=${after}` });
    await read(1);
    await read(2);
    await expect(read(3)).rejects.toBeInstanceOf(DiscordRateLimitError);
    expect(requests).toHaveLength(2);
    expect(requests[0]).toMatch(/\?after=1$/);
  });

  const NOT_HELD_BACK = undefined;
  test.each([
    ['user', bucket(0, 1.5), NOT_HELD_BACK],
    ['shared', bucket(4, 60), NOT_HELD_BACK],
    ['global', { 'x-ratelimit-global': 'true' }, expect.any(DiscordRateLimitError)],
  ])(
    'of scope %s rejects with the wait that Discord requires, and the package never sleeps',
    async (scope, headers, other) => {
      const limits: number[] = [];
      respond(429, { retry_after: 1.5 }, { ...headers, 'x-ratelimit-scope': scope, 'retry-after': '2' });
      const call = client({ onLimited: () => void limits.push(1) });
      await expect(call(POST)).rejects.toMatchObject({ name: 'DiscordRateLimitError', retryAfterMs: 2_050 });
      expect(limits).toEqual([1]);
      respond(200, {});
      expect(await failure(call({ ...GET, path: `/channels/${OTHER}` }))).toEqual(other);
      // Requests with an interaction token are not under the global limit of the bot.
      expect(await call(EDIT)).toEqual({});
      await clock.sleep(2_200);
      expect(await call(POST)).toEqual({});
    },
  );

  test('of one process is 40 requests per second, not counting those by interaction token', async () => {
    const call = client();
    for (let n = 0; n < 40; n += 1) await call({ method: 'GET', path: `/users/${n}` });
    await expect(call(GET)).rejects.toBeInstanceOf(DiscordRateLimitError);
    await call(EDIT);
    await clock.sleep(1_100);
    await call(GET);
    expect(requests).toHaveLength(42);
  });

  test.each([
    ['a page of Cloudflare', { 'content-type': 'text/html' }, 5_000],
    ['a page of Cloudflare with a retry time', { 'content-type': 'text/html', 'retry-after': '3' }, 3_000],
    ['a retry time that is not a number', { 'x-ratelimit-scope': 'user', 'retry-after': 'soon' }, 5_000],
  ])('from %s stops all requests', async (_, headers, ms) => {
    handler = (_request, response) => void response.writeHead(429, headers).end('error code: 1015');
    const call = client();
    await expect(call(GET)).rejects.toMatchObject({ retryAfterMs: ms });
    respond(200, {});
    await expect(call(POST)).rejects.toMatchObject({ retryAfterMs: ms });
    await expect(call(EDIT)).rejects.toMatchObject({ retryAfterMs: ms });
    expect(requests).toHaveLength(1);
    await clock.sleep(ms);
    expect(await call(POST)).toEqual({});
  });

  test.each([
    ['with the headers of a limit', { ...bucket(0, 20), 'x-ratelimit-scope': 'user' }],
    ['without them', {}],
  ])('of edits of old messages, %s, holds back nothing else', async (_, headers) => {
    respond(429, { code: 30_046, retry_after: 20 }, { ...headers, 'retry-after': '20' });
    const call = client();
    await expect(call(POST)).rejects.toEqual(new DiscordRateLimitError(20_000, 30_046));
    respond(200, {});
    expect(await call(POST)).toEqual({});
    expect(await call(GET)).toEqual({});
  });

  test('of 500 invalid requests in ten minutes stops the process until the ten minutes end', async () => {
    // The package counts over all clients of a process and starts anew after ten minutes.
    await clock.sleep(11 * 60_000);
    respond(403, { code: 50_001 });
    const call = client();
    let last: unknown;
    for (let n = 0; n < 500 && !(last instanceof DiscordRateLimitError); n += 1)
      last = await failure(call(EDIT));
    expect(last).toEqual(new DiscordApiError(403, 50_001));
    respond(200, {});
    await expect(call(EDIT)).rejects.toMatchObject({ retryAfterMs: 10 * 60_000 });
    await expect(call(GET)).rejects.toMatchObject({ retryAfterMs: 10 * 60_000 });
    expect(requests).toHaveLength(500);
    await clock.sleep(10 * 60_000 + 1);
    expect(await call(GET)).toEqual({});
  });
});
