import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { handleToolRequest } from '../../shared/mcp/index.ts';
import { createPublicLookup } from '../../shared/runtime/public-address.ts';
import type { McpResponse } from '../simulators/mcp/protocol.ts';
import { StatelessEndpoint } from '../simulators/mcp/stateless.ts';

// Servers that speak the revision 2026-07-28 only, without `initialize` and sessions.

let close: (() => void) | undefined;
afterEach(() => close?.());

type Endpoint = Pick<StatelessEndpoint, 'handle'>;

/** Serves an endpoint, as JSON or as events, and returns how to send it requests of workers. */
async function serve(endpoint: Endpoint, asEvents = false) {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { status, headers, message } = endpoint.handle(request, body);
      const json = JSON.stringify(message);
      const isEvent = asEvents && status === 200;
      response.writeHead(status, {
        'content-type': isEvent ? 'text/event-stream' : 'application/json',
        ...headers,
      });
      return response.end(isEvent ? `: hello\n\ndata: ${json}\n\n` : json);
    });
  });
  close = () => {
    server.close();
    server.closeAllConnections();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return (request: object) =>
    handleToolRequest(
      { ...request, url: `${origin}/mcp`, timeoutMs: 10_000 },
      { lookup: createPublicLookup(), allowedOrigins: [origin] },
    );
}

test.each([
  ['JSON', false],
  ['events', true],
])('its tools are listed and called, with %s', async (_, asEvents) => {
  const endpoint = new StatelessEndpoint();
  const send = await serve(endpoint, asEvents);
  expect(await send({ kind: 'list' })).toMatchObject({
    kind: 'listed',
    tools: [{ name: 'find', isReadOnly: true }],
  });
  const args = { words: 'a b' };
  expect(await send({ kind: 'call', tool: 'find', args })).toEqual({
    kind: 'called',
    text: 'Found.',
    isError: false,
  });
  expect(endpoint.calls).toEqual([args]);
});

test.each([
  { region: 'us-west1' },
  { region: 'Hello, 世界' },
  { region: ' padded ' },
  { region: 'line1\r\nX-Evil: 1' },
  { region: '=?base64?literal?=' },
  { region: '', place: { room: -7 } },
  { place: {} },
])('parameters that the server wants in headers are repeated there: %j', async (args) => {
  const endpoint = new StatelessEndpoint();
  const send = await serve(endpoint);
  expect(await send({ kind: 'call', tool: 'find', args })).toMatchObject({ text: 'Found.' });
  expect(endpoint.calls).toEqual([args]);
});

test('a result that asks for input is an error of the tool; one of an unknown type is invalid', async () => {
  const call = { kind: 'call', tool: 'find', args: {} };
  const asking = await serve(new StatelessEndpoint({ resultType: 'input_required', requestState: 'x' }));
  expect(await asking(call)).toMatchObject({
    kind: 'called',
    isError: true,
    text: expect.stringContaining('asks for more'),
  });
  close?.();
  const unknown = await serve(new StatelessEndpoint({ resultType: 'task' }));
  expect(await unknown(call)).toEqual({ kind: 'failed', reason: 'invalid', mayHaveRun: true });
});

test('a server of this revision is known by its name in any error, and no other server is asked twice', async () => {
  const stateless = new StatelessEndpoint();
  const bodies: string[] = [];
  const refusing = (error: object): Endpoint => ({
    handle: (request, body): McpResponse => {
      bodies.push(body);
      if (request.headers['mcp-protocol-version'] === '2026-07-28') return stateless.handle(request, body);
      return { status: 400, message: { jsonrpc: '2.0', id: null, error } };
    },
  });
  const named = await serve(refusing({ code: -32_601, message: 'Not known. Supported: 2026-07-28' }));
  expect(await named({ kind: 'list' })).toMatchObject({ kind: 'listed' });
  close?.();
  bodies.length = 0;
  const other = await serve(refusing({ code: -32_000, message: 'Bad Request: 2025-11-25 only' }));
  expect(await other({ kind: 'list' })).toEqual({ kind: 'failed', reason: 'refused', mayHaveRun: false });
  expect(bodies).toHaveLength(1);
});

const describedTool = (name: string, length: number) => ({
  name,
  description: 'x'.repeat(length),
  inputSchema: { type: 'object' },
});

test('a call reads the list of tools up to the page with its tool', async () => {
  const endpoint = new StatelessEndpoint({}, [[describedTool('second', 1)], [describedTool('third', 1)]]);
  const send = await serve(endpoint);
  expect(await send({ kind: 'call', tool: 'find', args: {} })).toMatchObject({ text: 'Found.' });
  expect(endpoint.pagesRead).toBe(1);
  expect(await send({ kind: 'call', tool: 'second', args: {} })).toMatchObject({ kind: 'called' });
  expect(endpoint.pagesRead).toBe(3);
});

test('a large list of tools takes no room from the result of a call', async () => {
  const content = [{ type: 'text', text: 'y'.repeat(600_000) }];
  const endpoint = new StatelessEndpoint({ content }, [[describedTool('second', 600_000)]]);
  const send = await serve(endpoint);
  expect(await send({ kind: 'call', tool: 'second', args: {} })).toMatchObject({
    kind: 'called',
    isError: false,
  });
  // Each of both still has its limit.
  close?.();
  const tooLarge = [[describedTool('second', 600_000)], [describedTool('third', 600_000)]];
  const listing = await serve(new StatelessEndpoint({}, tooLarge));
  expect(await listing({ kind: 'call', tool: 'third', args: {} })).toEqual({
    kind: 'failed',
    reason: 'too-large',
    mayHaveRun: false,
  });
});
