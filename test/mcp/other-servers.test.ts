import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { handleToolRequest } from '../../shared/mcp/index.ts';
import { createPublicLookup } from '../../shared/runtime/public-address.ts';
import { AuthorizationServer } from '../simulators/mcp/authorization-server.ts';
import { McpEndpoint } from '../simulators/mcp/protocol.ts';
import { statusTools } from '../simulators/mcp/tools.ts';
import { type Phase, sendMessage, sendResult, startHostileServer } from './hostile-server.ts';

// Servers that mean well and send what others do not: reported by people who used them with other clients.

let server: Awaited<ReturnType<typeof startHostileServer>>;
beforeAll(async () => {
  server = await startHostileServer();
});
const closings: (() => unknown)[] = [() => server.close()];
afterAll(() => Promise.all(closings.map((close) => close())));

const rules = () => ({ lookup: createPublicLookup(), allowedOrigins: [server.origin] });

/** What the client makes of this result, or this error, of a server. */
function meet(
  phase: Exclude<Phase, 'initialize'>,
  answer: { readonly result?: object; readonly error?: object },
) {
  const { url } = server.behave(phase, 'sse', (exchange) =>
    answer.error ? sendMessage(exchange, { error: answer.error }) : sendResult(exchange, answer.result),
  );
  const action = phase === 'list' ? { kind: 'list' } : { kind: 'call', tool: 'find', args: {} };
  return handleToolRequest({ ...action, url, timeoutMs: 10_000 }, rules());
}

const parametersSchema = v.object({ properties: v.record(v.string(), v.unknown()) });

/** The parameters that the model sees of a tool with this schema. */
async function readSchema(inputSchema: object): Promise<unknown> {
  const listed = await meet('list', { result: { tools: [{ name: 'find', inputSchema }] } });
  return listed.kind === 'listed' ? listed.tools[0]?.parameters : listed;
}

/** What the model sees of a parameter with this schema. */
async function readProperty(schema: object, more: object = {}): Promise<unknown> {
  const parameters = await readSchema({ type: 'object', properties: { a: schema }, ...more });
  return v.parse(parametersSchema, parameters).properties['a'];
}

const form = (name: string) => ({
  type: 'object',
  properties: { title: { type: 'string' }, [name]: { type: 'string' } },
  required: ['title', name],
});

/** A schema that refers to the next one twice. */
const double = (i: number) => ({ anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] });

describe('the parameters of a tool', () => {
  const PLACE = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

  test.each<[string, object, object, object]>([
    ['a reference, as of PagerDuty', { $ref: '#/$defs/Place' }, { $defs: { Place: PLACE } }, PLACE],
    [
      'a reference with an escaped name',
      { $ref: '#/definitions/a~1b', description: 'Where' },
      { definitions: { 'a/b': PLACE } },
      { ...PLACE, description: 'Where' },
    ],
    [
      'a list of references',
      { type: 'array', items: { $ref: '#/$defs/Place' } },
      { $defs: { Place: PLACE } },
      { type: 'array', items: PLACE },
    ],
    [
      'an optional parameter of FastMCP',
      { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, description: 'How many' },
      {},
      { type: 'integer', description: 'How many' },
    ],
    [
      'a parameter that FastMCP wraps twice',
      { anyOf: [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'null' }] },
      {},
      { type: 'string' },
    ],
    [
      'an optional choice of Pydantic',
      { anyOf: [{ $ref: '#/$defs/Color' }, { type: 'null' }] },
      { $defs: { Color: { type: 'string', enum: ['red', 'blue'] } } },
      { type: 'string', enum: ['red', 'blue'] },
    ],
    [
      'a choice of constants',
      {
        oneOf: [
          { const: 'up', type: 'string' },
          { const: 'down', type: 'string' },
        ],
      },
      {},
      { type: 'string', enum: ['up', 'down'] },
    ],
    [
      'constants of two types',
      {
        anyOf: [
          { const: 'auto', type: 'string' },
          { const: 5, type: 'integer' },
        ],
      },
      {},
      { enum: ['auto', 5] },
    ],
    [
      'a reference in allOf, as of Pydantic 1',
      { allOf: [{ $ref: '#/$defs/Place' }], description: 'Where' },
      { $defs: { Place: PLACE } },
      { ...PLACE, description: 'Where' },
    ],
    [
      'a schema that refers to itself',
      { $ref: '#/$defs/Tree' },
      {
        $defs: {
          Tree: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              children: { type: 'array', items: { $ref: '#/$defs/Tree' } },
            },
          },
        },
      },
      {
        type: 'object',
        properties: { name: { type: 'string' }, children: { type: 'array', items: { type: 'object' } } },
      },
    ],
    ['a reference that leads elsewhere', { $ref: 'https://example.com/place.json' }, {}, {}],
  ])('keep %s', async (_, schema, more, expected) => {
    expect(await readProperty(schema, more)).toEqual(expected);
  });

  test('of two forms have the properties of both, as of Notion', async () => {
    expect(await readSchema({ type: 'object', anyOf: [form('content'), form('source_url')] })).toEqual({
      type: 'object',
      properties: {
        title: { type: 'string' },
        content: { type: 'string' },
        source_url: { type: 'string' },
      },
      required: ['title'],
    });
  });

  test('that are too large with their references are kept without them', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 60 }, (__, i) => [`p${i}`, { type: 'string' }]),
    );
    const Large = { type: 'object', properties };
    expect(
      await readSchema({
        type: 'object',
        properties: { a: { $ref: '#/$defs/Large' }, b: { $ref: '#/$defs/Large' } },
        $defs: { Large },
      }),
    ).toEqual({
      type: 'object',
      properties: { a: {}, b: {} },
    });
  });

  test('that multiply with each reference end soon', async () => {
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (__, i) => [`d${i}`, double(i)]));
    const startedAt = performance.now();
    expect(await readProperty({ $ref: '#/$defs/d0' }, { $defs })).toBeDefined();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe('a list of tools', () => {
  const GOOD = { name: 'good', inputSchema: { type: 'object' } };
  test.each<[string, object, readonly string[]]>([
    ['a cursor that is null', { tools: [GOOD], nextCursor: null }, ['good']],
    [
      'a schema that is a boolean, as of the Go SDK',
      { tools: [GOOD, { name: 'any', inputSchema: { type: 'object', properties: { value: true } } }] },
      ['good', 'any'],
    ],
    [
      'a schema of results that is no object',
      { tools: [{ ...GOOD, outputSchema: { $id: 'result' } }] },
      ['good'],
    ],
    ['a schema without a type', { tools: [{ name: 'none', inputSchema: {} }, GOOD] }, ['none', 'good']],
    ['a description that is null', { tools: [{ ...GOOD, description: null, annotations: null }] }, ['good']],
    ['a tool without a schema of an object', { tools: [{ name: 'bad', inputSchema: [] }, GOOD] }, ['good']],
  ])('is read in spite of %s', async (_, result, names) => {
    const listed = await meet('list', { result });
    expect(listed.kind === 'listed' && listed.tools.map(({ name }) => name)).toEqual(names);
  });
});

describe('the result of a call', () => {
  const TEXT = { type: 'text', text: 'Found it.' };
  test.each<[string, object, string]>([
    [
      'a picture that is no base64',
      { content: [TEXT, { type: 'image', data: 'data:image/png;base64,AA==', mimeType: 'image/png' }] },
      'Found it.\n\n(image, not shown)',
    ],
    [
      'an unknown kind of content',
      { content: [TEXT, { type: 'hologram' }] },
      'Found it.\n\n(hologram, not shown)',
    ],
    [
      'structured content that is null',
      { content: [TEXT], structuredContent: null, isError: null },
      'Found it.',
    ],
    [
      'a link without a name',
      { content: [{ type: 'resource_link', uri: 'https://x.example/1' }] },
      ': https://x.example/1',
    ],
  ])('is read in spite of %s', async (_, result, expected) => {
    expect(await meet('call', { result })).toEqual({ kind: 'called', text: expected, isError: false });
  });

  test('that says that arguments are invalid, as an error of the protocol, is shown to the model', async () => {
    const error = { code: -32_602, message: 'Invalid arguments: “title” is required' };
    expect(await meet('call', { error })).toEqual({
      kind: 'called',
      text: 'MCP error -32602: Invalid arguments: “title” is required',
      isError: true,
      isRefused: true,
    });
  });
});

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

describe('a sign-in', () => {
  /** A server whose metadata is at `/oauth-metadata`, and whose resource is its origin. It redirects to a trailing slash, as Starlette does. */
  const startServer = async (challenge: (origin: string) => string) => {
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
  };

  test.each<[string, string, string]>([
    ['the scopes of the challenge', ', scope="read write"', 'read write'],
    ['the scopes of the metadata if the challenge has none', '', 'all'],
  ])('finds metadata by the challenge of the server, and asks for %s', async (_, more, scope) => {
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
});
