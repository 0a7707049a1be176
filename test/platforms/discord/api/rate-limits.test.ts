import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  DiscordRateLimited,
  type DiscordCall,
  DiscordApiError,
} from '../../../../shared/platforms/discord/api/call.ts';
import { RouteRateLimits, routeOf } from '../../../../shared/platforms/discord/api/rate-limits.ts';
import { createRestCall } from '../../../../shared/platforms/discord/api/rest-client.ts';

describe('what is known of limits', () => {
  test('a route that is spent waits for its reset, others do not', () => {
    let now = 0;
    const limits = new RouteRateLimits(() => now);
    limits.note('a', { remaining: 1, resetAfterMs: 2_000 });
    expect(limits.take('a', false)).toBe(0);
    expect(limits.take('a', false)).toBe(2_000);
    expect(limits.take('b', false)).toBe(0);
    now = 2_000;
    expect(limits.take('a', false)).toBe(0);
  });

  test('all requests of the bot together stay below its second; those by ticket are not counted', () => {
    const limits = new RouteRateLimits(() => 0);
    for (let i = 0; i < 40; i += 1) expect(limits.take(`route ${i}`, false)).toBe(0);
    expect(limits.take('one more', false)).toBe(1_000);
    expect(limits.take('one more', true)).toBe(0);
  });

  test('the limit of the whole bot holds back what goes by its token', () => {
    const limits = new RouteRateLimits(() => 0);
    limits.holdBot(700);
    expect([limits.take('a', false), limits.take('a', true)]).toEqual([700, 0]);
  });

  test('after too many invalid requests nothing goes out for a while', () => {
    let now = 0;
    const limits = new RouteRateLimits(() => now);
    for (let i = 0; i < 500; i += 1) limits.invalid();
    expect(limits.take('a', true)).toBe(30_000);
    now = 10 * 60_000;
    expect(limits.take('a', true)).toBe(0);
  });

  test('a route is counted by its first id, and by the ticket', () => {
    expect(routeOf('PATCH', '/channels/1/messages/2')).toBe('PATCH /channels/1/messages/:id');
    expect(routeOf('PATCH', '/webhooks/9/TOKEN/messages/2')).toBe('PATCH /webhooks/9/TOKEN/messages/:id');
    expect(routeOf('GET', '/channels/1/messages?after=5')).toBe('GET /channels/1/messages');
  });
});

describe('one request', () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const server = createServer((request, response) => answer(request, response));
  let apiUrl = '';
  const reply = (status: number, body: object): void => {
    answer = (_, response) =>
      response.writeHead(status, { 'x-ratelimit-scope': 'user' }).end(JSON.stringify(body));
  };
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    apiUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/api`;
  });
  afterAll(() => void server.close());

  const calling = (tokens = ['old', 'new']): DiscordCall =>
    createRestCall({
      apiUrl,
      applicationId: '900',
      token: async (how) => tokens[how?.refresh ? 1 : 0] ?? '',
      now: () => 0,
      random: () => 0,
    });

  test('names itself as Discord asks, and sends the token to nobody who does not need it', async () => {
    const seen: (string | undefined)[] = [];
    answer = ({ url, headers }, response) => {
      seen.push(url, headers.authorization, headers['user-agent']);
      response.writeHead(204).end();
    };
    await calling()({ method: 'GET', path: '/x' });
    await calling()({ method: 'GET', path: '/y', ticket: true });
    expect(seen).toEqual([
      '/api/v10/x',
      'Bot old',
      expect.stringMatching(/^DiscordBot \(https:/),
      '/api/v10/y',
      undefined,
      expect.anything(),
    ]);
  });

  test('takes a page of Cloudflare for what it is, and sends nothing else meanwhile', async () => {
    answer = (_, response) =>
      response.writeHead(429, { 'content-type': 'text/html' }).end('<html>error code: 1015</html>');
    const call = calling();
    await expect(call({ method: 'GET', path: '/x' })).rejects.toThrow(DiscordRateLimited);
    let asked = false;
    answer = (_, response) => {
      asked = true;
      response.end('{}');
    };
    const other = { method: 'GET', path: '/other' } as const;
    await expect(call(other)).rejects.toMatchObject({ retryAfterMs: 5_000 });
    await expect(call({ ...other, ticket: true })).rejects.toMatchObject({ retryAfterMs: 5_000 });
    expect(asked).toBe(false);
  });

  test('tells a refusal by its code, a limit by its wait, and trouble as neither', async () => {
    reply(404, { code: 10008, message: 'Unknown Message' });
    await expect(calling()({ method: 'GET', path: '/x' })).rejects.toEqual(new DiscordApiError(404, 10008));
    reply(429, { retry_after: 1.5 });
    await expect(calling()({ method: 'GET', path: '/x' })).rejects.toMatchObject({ retryAfterMs: 1_500 });
    reply(502, {});
    await expect(calling()({ method: 'GET', path: '/webhooks/9/SECRET' })).rejects.toThrow(
      /^no usable answer from Discord: status 502$/,
    );
  });

  test('asks for the token anew when it is not taken', async () => {
    answer = ({ headers }, response) =>
      response.writeHead(headers.authorization === 'Bot new' ? 200 : 401).end('{"id":"1"}');
    expect(await calling()({ method: 'GET', path: '/x' })).toEqual({ id: '1' });
    await expect(calling(['old', 'old'])({ method: 'GET', path: '/x' })).rejects.toMatchObject({
      status: 401,
    });
  });
});
