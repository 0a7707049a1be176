import { once } from 'node:events';
import { createServer } from 'node:http';
import { Socket } from 'node:net';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { handleToolRequest, type HostRules } from '../../shared/mcp/index.ts';
import type { ToolClientRequest, ToolClientResponse } from '../../shared/mcp/protocol.ts';
import { createPublicLookup } from '../../shared/runtime/public-address.ts';
import { startMcpSimulator, type McpSimulator, type McpSimulatorOptions } from '../simulators/mcp/index.ts';

let sim: McpSimulator;
let rules: HostRules;
const start = async (options: McpSimulatorOptions = {}) => {
  sim = await startMcpSimulator(options);
  rules = { lookup: createPublicLookup(), allowedOrigins: [sim.origin] };
};
const restart = async (authorization: McpSimulatorOptions['authorization']) => {
  await sim.close();
  await start({ authorization });
};
beforeEach(() => start());
afterEach(() => sim.close());

type Request = ToolClientRequest extends infer R
  ? R extends ToolClientRequest
    ? Omit<R, 'timeoutMs'>
    : never
  : never;
const send = (request: Request): Promise<ToolClientResponse> =>
  handleToolRequest({ ...request, timeoutMs: 10_000 }, rules);

describe('the tools of a server', () => {
  test('are listed, with what they change', async () => {
    const response = await send({ kind: 'list', url: sim.trackerUrl, token: sim.apiKey });
    expect(response).toMatchObject({
      kind: 'listed',
      tools: [
        { name: 'list_issues', isReadOnly: true, isDestructive: false },
        { name: 'create_issue', isReadOnly: false, isDestructive: false },
        { name: 'close_issue', isReadOnly: false, isDestructive: true },
      ],
    });
  });

  test('are called once, with the result as text', async () => {
    const call = { kind: 'call', url: sim.trackerUrl, token: sim.apiKey } as const;
    expect(await send({ ...call, tool: 'create_issue', args: { title: 'Broken' } })).toEqual({
      kind: 'called',
      text: 'Created ISS-1.',
      isError: false,
    });
    expect(await send({ ...call, tool: 'close_issue', args: { id: 'ISS-9' } })).toEqual({
      kind: 'called',
      text: 'There is no issue ISS-9.',
      isError: true,
    });
    expect(sim.calls.tracker).toEqual(['create_issue']);
    expect(
      await send({ kind: 'call', url: sim.statusUrl, tool: 'get_incident', args: { id: 'INC-7' } }),
    ).toMatchObject({
      text: expect.stringContaining('A disk was full.'),
    });
  });

  test.each([
    ['an unknown tool', { tool: 'launch', args: {} }, 'Unknown tool: launch'],
    ['arguments that the server refuses', { tool: 'create_issue', args: { title: 7 } }, 'Invalid arguments'],
  ])('%s is refused with the reason of the server', async (_, call, reason) => {
    const response = await send({ kind: 'call', url: sim.trackerUrl, token: sim.apiKey, ...call });
    const text = `MCP error -32602: ${reason}`;
    expect(response).toEqual({ kind: 'called', text, isError: true, isRefused: true });
    expect(sim.calls.tracker).toEqual([]);
  });

  test('are listed and called in sessions that end', async () => {
    const server = { url: sim.trackerUrl, token: sim.apiKey } as const;
    await send({ kind: 'list', ...server });
    await send({ kind: 'call', ...server, tool: 'create_issue', args: { title: 7 } });
    expect(sim.openSessions()).toBe(0);
  });

  test('need the key of the server', async () => {
    for (const token of [undefined, 'wrong'])
      expect(await send({ kind: 'list', url: sim.trackerUrl, token })).toEqual({
        kind: 'failed',
        reason: 'unauthorized',
        mayHaveRun: false,
      });
  });
});

const exchange = (session: string, code: string, issuer: string | undefined = sim.origin) =>
  send({ kind: 'exchange', session, code, issuer });

describe('a sign-in', () => {
  const REDIRECT = 'https://bot.example.com/tools/oauth';

  async function signIn() {
    const started = await send({
      kind: 'authorize',
      url: sim.trackerUrl,
      redirectUrl: REDIRECT,
      state: 'state-1',
    });
    if (started.kind !== 'authorizing') throw new Error(JSON.stringify(started));
    const page = await fetch(started.authorizationUrl, { redirect: 'manual' });
    const back = new URL(page.headers.get('location') ?? '');
    return { started, back, code: back.searchParams.get('code') ?? '' };
  }

  test('registers, uses PKCE and the resource, and gives a token that the server accepts', async () => {
    const { started, back, code } = await signIn();
    expect(back.href.startsWith(REDIRECT)).toBe(true);
    expect(back.searchParams.get('state')).toBe('state-1');
    const tokens = await exchange(started.session, code);
    if (tokens.kind !== 'authorized') throw new Error(JSON.stringify(tokens));
    expect(tokens).toMatchObject({ expiresIn: 3_600 });
    const list = { kind: 'list', url: sim.trackerUrl } as const;
    expect(await send({ ...list, token: tokens.accessToken })).toMatchObject({ kind: 'listed' });
    sim.expireTokens();
    expect(await send({ ...list, token: tokens.accessToken })).toMatchObject({ reason: 'unauthorized' });
    const { session, refreshToken = '' } = tokens;
    const renewed = await send({ kind: 'refresh', session, refreshToken });
    if (renewed.kind !== 'authorized') throw new Error(JSON.stringify(renewed));
    expect(await send({ ...list, token: renewed.accessToken })).toMatchObject({ kind: 'listed' });
    expect(renewed.refreshToken).not.toBe(refreshToken);
    expect(await send({ kind: 'refresh', session, refreshToken })).toMatchObject({ reason: 'unauthorized' });
  });

  test('authenticates by the method that the server registered, of those that it lists', async () => {
    await restart({ method: 'client_secret_post' });
    const { started, code } = await signIn();
    const tokens = await exchange(started.session, code);
    if (tokens.kind !== 'authorized') throw new Error(JSON.stringify(tokens));
    const { session, refreshToken = '' } = tokens;
    expect(await send({ kind: 'refresh', session, refreshToken })).toMatchObject({ kind: 'authorized' });
  });

  test.each([
    [4_096, { kind: 'authorized' }],
    [4_097, { kind: 'failed', reason: 'too-large' }],
  ])('with tokens of %i bytes, of which 4,096 can be encrypted', async (tokenLength, expected) => {
    await restart({ tokenLength });
    const { started, code } = await signIn();
    expect(await exchange(started.session, code)).toMatchObject(expected);
  });

  test('cannot use a code twice, nor the code of another sign-in', async () => {
    const [one, two] = [await signIn(), await signIn()];
    expect(await exchange(one.started.session, two.code)).toMatchObject({
      kind: 'failed',
      reason: 'unauthorized',
    });
    expect(await exchange(one.started.session, one.code)).toMatchObject({ kind: 'authorized' });
    expect(await exchange(one.started.session, one.code)).toMatchObject({
      kind: 'failed',
      reason: 'unauthorized',
    });
  });
});

describe('a server that may not be called', () => {
  test.each([
    'http://example.com/mcp',
    'https://127.0.0.1/mcp',
    'https://[::1]/mcp',
    'https://localhost/mcp',
    'https://printer.local/mcp',
    'https://metadata.google.internal/mcp',
    'https://user:secret@example.com/mcp',
    'ftp://example.com/mcp',
  ])('%s is not opened', async (url) => {
    expect(await send({ kind: 'list', url })).toEqual({
      kind: 'failed',
      reason: 'not-public',
      mayHaveRun: false,
    });
  });

  test('has a name that leads to a private address when it is opened', async () => {
    const lookup = createPublicLookup((_, __, found) => found(null, [{ address: '10.0.0.7', family: 4 }]));
    const request = {
      kind: 'call',
      url: 'https://mcp.example.com/mcp',
      tool: 'x',
      args: {},
      timeoutMs: 5_000,
    };
    expect(await handleToolRequest(request, { lookup, allowedOrigins: [] })).toEqual({
      kind: 'failed',
      reason: 'not-public',
      mayHaveRun: false,
    });
  });
});

test.each([
  { kind: 'list' },
  { kind: 'call', tool: 'x', args: {} },
  { kind: 'authorize', redirectUrl: 'https://bot.example.com/', state: 's' },
  { kind: 'page' },
] as const)('an address that is none is a failure: %j', async (request) => {
  expect(await send({ ...request, url: 'no address' })).toMatchObject({ kind: 'failed', mayHaveRun: false });
});

test('a request of another format is a failure', async () => {
  expect(await handleToolRequest({ kind: 'list', url: sim.statusUrl, timeoutMs: 1e9 }, rules)).toMatchObject({
    reason: 'invalid',
  });
});

describe('a webhook', () => {
  const webhook = {
    kind: 'webhook',
    headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': '1000', 'webhook-signature': 'v1,abc=' },
    body: '{"type":"answer.completed"}',
  } as const;

  test('is posted with its signature; the status is returned', async () => {
    // The simulated server understands no webhook.
    expect(await send({ ...webhook, url: `${sim.origin}/nowhere` })).toEqual({
      kind: 'delivered',
      status: 404,
    });
  });

  test('counts as delivered by the status alone, whatever the response contains', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
      response.write('not gzip');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${v.parse(v.object({ port: v.number() }), server.address()).port}`;
    const closed = once(server, 'connection').then(([socket]) =>
      once(v.parse(v.instance(Socket), socket), 'close'),
    );
    const own = { ...rules, allowedOrigins: [origin] };
    const request = { ...webhook, url: `${origin}/in`, timeoutMs: 10_000 };
    expect(await handleToolRequest(request, own)).toEqual({ kind: 'delivered', status: 200 });
    // Nobody waits for the rest of the body.
    await closed;
    server.close();
  });

  test.each(['https://127.0.0.1/in', 'http://hooks.example.com/in', 'https://metadata.google.internal/'])(
    'to %s is not sent',
    async (url) => {
      expect(await send({ ...webhook, url })).toMatchObject({ kind: 'failed', reason: 'not-public' });
    },
  );
});
