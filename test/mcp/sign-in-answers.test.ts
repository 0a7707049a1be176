import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { handleToolRequest } from '../../shared/mcp/index.ts';
import type { ToolClientResponse } from '../../shared/mcp/protocol.ts';
import { createPublicLookup } from '../../shared/runtime/public-address.ts';
import { startMcpSimulator, type McpSimulator, type McpSimulatorOptions } from '../simulators/mcp/index.ts';

// What comes back from the page of an authorization server: who answers (RFC 9207), and what it grants.

let sim: McpSimulator | undefined;
afterEach(() => sim?.close());

const send = (origin: string, request: object): Promise<ToolClientResponse> =>
  handleToolRequest(
    { ...request, timeoutMs: 10_000 },
    { lookup: createPublicLookup(), allowedOrigins: [origin] },
  );

/** Signs in at such a server, up to the return to the bot. */
async function comeBack(
  authorization: McpSimulatorOptions['authorization'],
  redirectUrl = 'https://bot.example.com/tools/oauth',
) {
  sim = await startMcpSimulator({ authorization });
  const { origin, trackerUrl: url } = sim;
  const started = await send(origin, { kind: 'authorize', url, redirectUrl, state: 'state-1' });
  if (started.kind !== 'authorizing') throw new Error(JSON.stringify(started));
  const page = await fetch(started.authorizationUrl, { redirect: 'manual' });
  const { searchParams } = new URL(page.headers.get('location') ?? '');
  const [code, iss] = [searchParams.get('code'), searchParams.get('iss') ?? undefined];
  const exchange = (issuer: string | undefined) =>
    send(origin, { kind: 'exchange', session: started.session, code, issuer });
  return { origin, iss, exchange };
}

const OTHER = 'https://other.example.com';
const INVALID = { kind: 'failed', reason: 'invalid', mayHaveRun: false };

test.each<[string, McpSimulatorOptions['authorization'], (origin: string) => string | undefined]>([
  ['another server', {}, () => OTHER],
  ['nobody, although its metadata says that it names itself', {}, () => undefined],
  ['nobody, although its OpenID metadata says that it names itself', { isOpenId: true }, () => undefined],
  ['itself with a slash more', {}, (origin) => `${origin}/`],
  ['itself in other letters', {}, (origin) => origin.replace('http', 'HTTP')],
  ['an empty name', {}, () => ''],
  [
    'another server, although its metadata does not say that it names any',
    { iss: 'unannounced' },
    () => OTHER,
  ],
  ['another server, as its metadata does, too', { issuer: () => OTHER }, () => OTHER],
  ['another server, and has no metadata', { hasMetadata: false }, () => OTHER],
  ['itself with a path, and has no metadata', { hasMetadata: false }, (origin) => `${origin}/other`],
])('an answer that names %s is not used: its code is sent nowhere', async (_, options, issuerOf) => {
  const { origin, exchange } = await comeBack(options);
  expect(await exchange(issuerOf(origin))).toEqual(INVALID);
  // A code works once.
  expect(await exchange(origin)).toMatchObject({ kind: 'authorized' });
});

test.each<[string, McpSimulatorOptions['authorization']]>([
  ['itself', {}],
  ['itself, as OpenID provider', { isOpenId: true }],
  ['itself, without saying so in its metadata', { iss: 'unannounced' }],
  ['itself with the slash of its metadata', { issuer: (address) => `${address}/` }],
  ['nobody, as many servers', { iss: 'none' }],
  ['itself, without metadata', { hasMetadata: false }],
  // The bot knows its address only, which may have a final slash that the name has not, or the other way round.
  ['itself with a slash, without metadata', { hasMetadata: false, issuer: (address) => `${address}/` }],
  ['nobody, and has another name in its metadata', { iss: 'none', issuer: () => OTHER }],
])('an answer that names %s is used', async (_, options) => {
  const { iss, exchange } = await comeBack(options);
  expect(await exchange(iss)).toMatchObject({ kind: 'authorized' });
});

test('a sign-in that an earlier version began knows no issuer, and is completed', async () => {
  const { origin, exchange } = await comeBack({});
  const unknown = JSON.stringify({
    server: origin,
    clientId: 'c',
    verifier: 'v',
    redirectUrl: 'https://x.example/',
  });
  // It gets as far as the authorization server, which does not know the code.
  expect(await send(origin, { kind: 'exchange', session: unknown, code: 'c', issuer: OTHER })).toMatchObject({
    reason: 'unauthorized',
  });
  expect(await exchange(OTHER)).toEqual(INVALID);
});

test.each(['https://bot.example.com/tools/oauth', 'http://localhost:3000/tools/oauth'])(
  'a sign-in at an OpenID provider, back to %s, can be renewed',
  async (redirectUrl) => {
    const { iss, exchange } = await comeBack({ isOpenId: true }, redirectUrl);
    expect(await exchange(iss)).toMatchObject({ kind: 'authorized', refreshToken: expect.any(String) });
  },
);

test.each([400, 200])('a code that is refused with status %d was refused', async (refusalStatus) => {
  const { iss, exchange } = await comeBack({ refusalStatus });
  expect(await exchange(iss)).toMatchObject({ kind: 'authorized' });
  expect(await exchange(iss)).toEqual({ kind: 'failed', reason: 'unauthorized', mayHaveRun: false });
});

test.each([
  [502, 'refused'],
  // Not an answer of a server that fails: nothing that this client can read.
  [200, 'invalid'],
])('a compressed answer with status %d to a renewal is %s', async (status, reason) => {
  const server = createServer((_, response) =>
    response.writeHead(status, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end('x'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const known = { server: origin, clientId: 'c', verifier: 'v', redirectUrl: 'https://x.example/' };
  const refresh = { kind: 'refresh', session: JSON.stringify(known), refreshToken: 'r' };
  const answer = await send(origin, refresh);
  server.closeAllConnections();
  server.close();
  expect(answer).toEqual({ kind: 'failed', reason, mayHaveRun: false });
});
