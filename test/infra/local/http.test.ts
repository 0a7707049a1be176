import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from 'node:http';
import { createHttpApi, isFromThisMachine } from '../../../infra/local/emulator/http-api.ts';
import type { ApiTarget } from '../../../infra/local/emulator/http-api.ts';
import { createHttpEvent, toHttpResponse } from '../../../infra/local/emulator/http-event.ts';
import { listen } from '../../../infra/local/listen.ts';
import { matchRoute } from '../../../infra/local/emulator/routes.ts';
import { LOAD_ERROR_TYPE, TIMEOUT_ERROR_TYPE } from '../../../infra/local/functions/functions.ts';
import type { InvocationOutcome } from '../../../infra/local/functions/thread.ts';

const route = (key: string) => ({ key, functionId: key, timeoutMs: 29_000 });

describe('routes', () => {
  const routes = [
    'GET /a',
    'ANY /a',
    'GET /a/{id}',
    'GET /a/fixed',
    'ANY /a/{rest+}',
    'POST /b/{id}/end',
  ].map(route);
  test.each([
    ['GET', '/a', 'GET /a', {}],
    ['PUT', '/a', 'ANY /a', {}],
    ['GET', '/a/x%20y', 'GET /a/{id}', { id: 'x y' }],
    ['GET', '/a/fixed', 'GET /a/fixed', {}],
    ['GET', '/a/x/y', 'ANY /a/{rest+}', { rest: 'x/y' }],
    ['DELETE', '/a/x', 'ANY /a/{rest+}', { rest: 'x' }],
    ['POST', '/b/7/end', 'POST /b/{id}/end', { id: '7' }],
    ['GET', '/b/7/end', undefined, undefined],
    ['GET', '/c', undefined, undefined],
    ['GET', '/a/', 'ANY /a/{rest+}', { rest: '' }],
  ])('%s %s', (method, path, key, parameters) => {
    const match = matchRoute(routes, method, path);
    expect([match?.route.key, match?.pathParameters]).toEqual([key, parameters]);
  });
  test('$default matches all other paths', () => {
    expect(matchRoute([route('$default'), route('GET /a')], 'GET', '/a')?.route.key).toBe('GET /a');
    expect(matchRoute([route('$default'), route('GET /a')], 'GET', '/z')?.route.key).toBe('$default');
  });
});

const createEvent = (rawHeaders: string[], body: string, target = '/slack/events') =>
  createHttpEvent(
    {
      method: 'POST',
      target,
      httpVersion: '1.1',
      remoteAddress: '127.0.0.1',
      rawHeaders,
      body: Buffer.from(body),
    },
    { route: route('POST /slack/events'), pathParameters: {} },
    'request-1',
    0,
  );

describe('the event of a request', () => {
  test.each([
    ['application/json', false],
    ['application/json; charset=utf-8', false],
    ['text/plain', false],
    ['application/xml', false],
    ['application/javascript', false],
    ['application/x-www-form-urlencoded', true],
    ['application/vnd.api+json', true],
    ['application/octet-stream', true],
    ['', true],
  ])('has a body of type "%s" as base64: %s', (type, base64) => {
    const event = createEvent(['Content-Type', type], 'grüße');
    expect(event.isBase64Encoded).toBe(base64);
    expect(Buffer.from(event.body ?? '', base64 ? 'base64' : 'utf8').toString()).toBe('grüße');
  });
  test('has headers in lower case and joined, cookies separate, the query joined', () => {
    const event = createEvent(
      ['X-A', '1', 'x-a', '2', 'Cookie', 'a=1; b=2'],
      '',
      '/slack/events?q=1&q=2&r=%20',
    );
    expect(event.headers).toEqual({ 'x-a': '1,2' });
    expect(event.cookies).toEqual(['a=1', 'b=2']);
    expect(event.queryStringParameters).toEqual({ q: '1,2', r: ' ' });
    expect(event.rawQueryString).toBe('q=1&q=2&r=%20');
    expect('body' in event).toBe(false);
    expect(event.requestContext.http).toMatchObject({
      method: 'POST',
      path: '/slack/events',
      protocol: 'HTTP/1.1',
    });
  });
});

describe('the response of a function', () => {
  test.each([
    [{ statusCode: 201, headers: { 'X-A': 1 }, body: 'b' }, 201, 'b'],
    [{ statusCode: 200, body: Buffer.from('ü').toString('base64'), isBase64Encoded: true }, 200, 'ü'],
    [{ statusCode: 204 }, 204, ''],
    [{ statusCode: 'no' }, 500, '{"message":"Internal Server Error"}'],
    [{ statusCode: 200, body: { not: 'text' } }, 500, '{"message":"Internal Server Error"}'],
    [{ plain: 1 }, 200, '{"plain":1}'],
    [null, 200, 'null'],
    ['text', 200, '"text"'],
  ])('%j', (answer, status, body) => {
    const response = toHttpResponse(JSON.stringify(answer));
    expect([response.status, response.body.toString()]).toEqual([status, body]);
  });
});

describe('the HTTP API', () => {
  let outcome: InvocationOutcome | Promise<InvocationOutcome> = {
    kind: 'answer',
    payload: '{"statusCode":200,"body":"ok"}',
  };
  const handled: unknown[] = [];
  let side: ApiTarget | undefined = {
    routes: [route('POST /slack/events'), { ...route('GET /slow'), timeoutMs: 20 }],
    page: 'http://127.0.0.1:9/',
    dashboard: 'http://127.0.0.1:8',
    invoke: async (id, event) => {
      handled.push([id, event]);
      return outcome;
    },
  };
  const ready = side;
  let passedMs = 0;
  const server = createHttpApi(
    () => side,
    () => passedMs,
  );
  let api = '';
  beforeAll(async () => {
    api = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const post = async (path = '/slack/events') => {
    const answer = await fetch(api + path, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    return [answer.status, await answer.text()];
  };

  test('calls the function of the route, and returns its response', async () => {
    expect(await post()).toEqual([200, 'ok']);
    expect(handled.at(-1)).toMatchObject([
      'POST /slack/events',
      { version: '2.0', body: '{}', isBase64Encoded: false },
    ]);
  });
  test.each([
    [
      'an error',
      { kind: 'failed', errorType: 'Error', message: 'secret detail' } as const,
      500,
      'Internal Server Error',
    ],
    [
      'a timeout',
      { kind: 'failed', errorType: TIMEOUT_ERROR_TYPE, message: '' } as const,
      503,
      'Service Unavailable',
    ],
    [
      'a function that could not be loaded',
      { kind: 'failed', errorType: LOAD_ERROR_TYPE, message: '' } as const,
      503,
      'Service Unavailable',
    ],
    [
      'a header HTTP forbids',
      {
        kind: 'answer',
        payload: '{"statusCode":200,"headers":{"a b":"1"},"body":"{\\"message\\":\\"fine\\"}"}',
      } as const,
      200,
      'fine',
    ],
  ])('responds to %s of the function as API Gateway does', async (_, result, status, message) => {
    outcome = result;
    expect(await post()).toEqual([status, JSON.stringify({ message })]);
  });
  test.each<[string, ApiTarget['observe']]>([
    [
      'at the request',
      () => {
        throw new Error('cannot read that');
      },
    ],
    ['at the answer', () => () => Promise.reject(new Error('cannot read that'))],
  ])('logs an observer that fails %s, and returns the response unchanged', async (_, witness) => {
    const notes: string[] = [];
    outcome = { kind: 'answer', payload: '{"statusCode":200,"body":"ok"}' };
    side = { ...ready, observe: witness, note: (line) => void notes.push(line) };
    expect(await post()).toEqual([200, 'ok']);
    expect(notes).toEqual([expect.stringContaining('/slack/events')]);
    expect(notes.join()).not.toContain('cannot read');
    side = ready;
  });
  test('responds 503 to a request that waited longer than its route allows, and does not start it', async () => {
    const busy = Promise.withResolvers<InvocationOutcome>();
    outcome = busy.promise;
    const before = handled.length;
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${api}/slow`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(503));
    busy.resolve({ kind: 'answer', payload: '{"statusCode":204}' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(handled).toHaveLength(before + 16);
  });
  test('responds 503 when the response exceeds the time of the route', async () => {
    outcome = new Promise(() => {});
    expect((await fetch(`${api}/slow`)).status).toBe(503);
  });
  test('responds 429 above the rate of a route, without effect on another route', async () => {
    outcome = { kind: 'answer', payload: '{"statusCode":200,"body":"ok"}' };
    const throttle = { rate: 10, burst: 3 };
    const routes = ['POST /slack/events', 'POST /other'].map((key) => ({ ...route(key), throttle }));
    side = { ...ready, routes };
    const statuses = async (path: string) => {
      const answers = [];
      for (let n = 0; n < 5; n += 1) answers.push((await post(path))[0]);
      return answers;
    };
    expect(await statuses('/slack/events')).toEqual([200, 200, 200, 429, 429]);
    expect(await statuses('/other')).toEqual([200, 200, 200, 429, 429]);
    expect(await post()).toEqual([429, '{"message":"Too Many Requests"}']);
    passedMs = 200;
    expect(await statuses('/slack/events')).toEqual([200, 200, 429, 429, 429]);
    side = ready;
  });
  test('responds 404 without a route, with the page at the root, and 503 during start and stop', async () => {
    expect(await post('/nowhere')).toEqual([404, '{"message":"Not Found"}']);
    const root = await fetch(api, { redirect: 'manual' });
    expect([root.status, root.headers.get('location')]).toEqual([302, 'http://127.0.0.1:9/']);
    const dashboard = await fetch(`${api}/dashboard`, { redirect: 'manual' });
    expect([dashboard.status, dashboard.headers.get('location')]).toEqual([302, 'http://127.0.0.1:8']);
    side = undefined;
    expect((await post())[0]).toBe(503);
    side = ready;
  });
  test.each([
    ['127.0.0.1', '127.0.0.2', true],
    ['::ffff:127.0.0.1', '::ffff:127.0.0.1', true],
    ['::1', '::1', true],
    ['192.168.0.7', '192.168.0.7', true],
    ['192.168.0.9', '192.168.0.7', false],
  ])('opens the dashboard for %s at %s: %p', (remoteAddress, localAddress, isAllowed) => {
    expect(isFromThisMachine({ remoteAddress, localAddress })).toBe(isAllowed);
  });
  test.each([
    ['localhost:3000', 'http://127.0.0.1:9/'],
    ['[::1]:3000', 'http://127.0.0.1:9/'],
    ['192.168.0.7:3000', 'http://192.168.0.7:9/'],
    ['[fd00::7]:3000', 'http://[fd00::7]:9/'],
    ['laptop:3000', 'http://laptop:9/'],
    ['laptop.local', 'http://laptop.local:9/'],
    // The page refuses it.
    ['elsewhere.example', 'http://127.0.0.1:9/'],
  ])('asked for as %s, leads to the page at %s', async (host, location) => {
    const redirected = Promise.withResolvers<string | undefined>();
    request(api, { headers: { host } }, (response) => redirected.resolve(response.resume().headers.location))
      .once('error', redirected.reject)
      .end();
    expect(await redirected.promise).toBe(location);
  });
  test('responds 413 to a body over 10 MB and an event over 6 MB, without a call', async () => {
    const calls = handled.length;
    for (const size of [10 * 1024 * 1024 + 1, 7 * 1024 * 1024]) {
      const status = await new Promise((resolve, reject) => {
        const sent = request(`${api}/slack/events`, { method: 'POST' }, (response) =>
          resolve(response.resume().statusCode),
        );
        sent.once('error', reject);
        sent.end(Buffer.alloc(size));
      });
      expect(status).toBe(413);
    }
    expect(handled).toHaveLength(calls);
  });
});
