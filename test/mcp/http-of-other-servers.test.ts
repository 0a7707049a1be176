import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from '@jest/globals';
import { handleToolRequest } from '../../shared/mcp/index.ts';
import { createPublicLookup } from '../../shared/runtime/public-address.ts';
import { AuthorizationServer } from '../simulators/mcp/authorization-server.ts';
import { McpEndpoint } from '../simulators/mcp/protocol.ts';
import { statusTools } from '../simulators/mcp/tools.ts';

// How other servers use HTTP: redirects, the end of sessions, and what their 401 says.

const closings: (() => unknown)[] = [];
afterAll(() => Promise.all(closings.map((close) => close())));

/** Starts a server with this handler, and returns its origin. */
async function listen(handler: RequestListener): Promise<string> {
  const front = createServer(handler);
  closings.push(() => {
    front.close();
    front.closeAllConnections();
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const address = front.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const send = (origin: string, request: object) =>
  handleToolRequest(
    { ...request, url: `${origin}/mcp`, timeoutMs: 10_000 },
    { lookup: createPublicLookup(), allowedOrigins: [origin] },
  );

test('a server that redirects to a trailing slash, as of Starlette, gets the call, and once', async () => {
  const endpoint = new McpEndpoint('Slashes', statusTools);
  const origin = await listen((request, response) => {
    void text(request).then((body) => {
      if (request.url !== '/mcp/') return response.writeHead(307, { location: '/mcp/' }).end();
      const { status, headers, message } = endpoint.handle(request, body);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      return response.end(message === undefined ? undefined : JSON.stringify(message));
    });
  });
  const response = await send(origin, { kind: 'call', tool: 'get_incident', args: { id: 'INC-7' } });
  expect(response).toMatchObject({ kind: 'called', text: expect.stringContaining('A disk was full.') });
  expect(endpoint.calls).toEqual(['get_incident']);
});

test('a server that does not answer to the end of a session still gives its result', async () => {
  const endpoint = new McpEndpoint('Silent end', statusTools);
  const origin = await listen((request, response) => {
    if (request.method === 'DELETE') return;
    void text(request).then((body) => {
      const { status, headers, message } = endpoint.handle(request, body);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      return response.end(message === undefined ? undefined : JSON.stringify(message));
    });
  });
  expect(await send(origin, { kind: 'list' })).toMatchObject({ kind: 'listed' });
});

test('a server that is too slow for a call is still told that its session has ended', async () => {
  const endpoint = new McpEndpoint('Slow', statusTools);
  const origin = await listen((request, response) => {
    void text(request).then((body) => {
      if (body.includes('tools/call')) return undefined;
      const { status, headers, message } = endpoint.handle(request, body);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      return response.end(message === undefined ? undefined : JSON.stringify(message));
    });
  });
  const call = { kind: 'call', tool: 'get_incident', args: { id: 'INC-7' }, url: `${origin}/mcp` };
  const rules = { lookup: createPublicLookup(), allowedOrigins: [origin] };
  const response = await handleToolRequest({ ...call, timeoutMs: 1_000 }, rules);
  expect(response).toEqual({ kind: 'failed', reason: 'too-slow', mayHaveRun: true });
  expect(endpoint.openSessions).toBe(0);
});

/** A server whose metadata is at `/oauth-metadata`, and whose resource is its origin. It redirects to a trailing slash, as Starlette does. */
async function startServer(challenge: (origin: string) => string): Promise<string> {
  let origin = '';
  const handle: RequestListener = ({ method, url }, response) => {
    const metadata = { resource: origin, authorization_servers: [origin], scopes_supported: ['all'] };
    const oauth = new AuthorizationServer(origin, origin);
    switch (`${method} ${url}`) {
      case 'POST /mcp':
        return response.writeHead(308, { location: '/mcp/' }).end();
      case 'POST /mcp/':
        return response.writeHead(401, { 'www-authenticate': challenge(origin) }).end('Sign in');
      case 'GET /oauth-metadata':
        return response.end(JSON.stringify(metadata));
      case 'GET /.well-known/oauth-authorization-server':
        return response.end(oauth.metadata().body);
      case 'POST /register':
        return response
          .writeHead(201)
          .end(JSON.stringify({ client_id: 'c', redirect_uris: ['https://x.example/'] }));
      default:
        return response.writeHead(404).end();
    }
  };
  origin = await listen(handle);
  return origin;
}

test.each<[string, string, string]>([
  ['the scopes of the challenge', ', scope="read write"', 'read write'],
  ['the scopes of the metadata if the challenge has none', '', 'all'],
])('a sign-in finds metadata by the challenge of the server, and asks for %s', async (_, more, scope) => {
  const origin = await startServer((own) => `Bearer resource_metadata="${own}/oauth-metadata"${more}`);
  const started = await send(origin, {
    kind: 'authorize',
    redirectUrl: 'https://x.example/',
    state: 's',
  });
  if (started.kind !== 'authorizing') throw new Error(JSON.stringify(started));
  const { searchParams } = new URL(started.authorizationUrl);
  // Without the slash that `URL` adds: authorization servers compare it exactly.
  expect([searchParams.get('resource'), searchParams.get('scope')]).toEqual([origin, scope]);
});

test.each<[number, string, string]>([
  [503, '<html>Maintenance</html>', 'refused'],
  [500, '{"error":"server_error"}', 'refused'],
  [429, '{"error":"too_many_requests"}', 'refused'],
  [400, '{"error":"invalid_grant"}', 'unauthorized'],
  // As of GitHub, which has words of its own.
  [400, '{"error":"bad_refresh_token"}', 'unauthorized'],
])('status %i of a renewal with %s is %s: only a refusal ends a sign-in', async (status, body, reason) => {
  const origin = await listen((_, response) => response.writeHead(status).end(body));
  const session = { server: origin, clientId: 'c', verifier: 'v', redirectUrl: 'https://x.example/' };
  const response = await send(origin, {
    kind: 'refresh',
    session: JSON.stringify(session),
    refreshToken: 'r',
  });
  expect(response).toEqual({ kind: 'failed', reason, mayHaveRun: false });
});
