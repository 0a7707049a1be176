import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as v from 'valibot';

/** A step of a session. */
export type Phase = 'initialize' | 'list' | 'call';
/** The two forms of a response. */
export type Form = 'json' | 'sse';

/** What a misbehavior knows of the request that it answers. */
export type Exchange = {
  readonly response: ServerResponse;
  readonly id: unknown;
  readonly form: Form;
  readonly phase: Phase;
  /** The result that a good server would send. */
  readonly good: Readonly<Record<string, unknown>>;
  /** The path of the client that asked. */
  readonly path: string;
};
export type Misbehavior = (exchange: Exchange) => void;

const rpc = v.object({ id: v.optional(v.unknown()), method: v.optional(v.string(), '') });

const PHASES: Readonly<Record<string, Phase>> = {
  initialize: 'initialize',
  'tools/list': 'list',
  'tools/call': 'call',
};

const GOOD: Readonly<Record<Phase, Readonly<Record<string, unknown>>>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'Hostile', version: '1' },
  },
  list: {
    tools: [
      {
        name: 'find',
        description: 'Finds',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      },
    ],
  },
  call: { content: [{ type: 'text', text: 'Well done.' }] },
};

/** Sends a body in the form of the exchange, with status 200. */
export function sendText(
  { response, form }: Pick<Exchange, 'response' | 'form'>,
  text: string | Buffer,
): void {
  response.writeHead(200, { 'content-type': form === 'json' ? 'application/json' : 'text/event-stream' });
  response.end(
    form === 'json' ? text : Buffer.concat([Buffer.from('data: '), Buffer.from(text), Buffer.from('\n\n')]),
  );
}

/** Sends a JSON-RPC message in the form of the exchange. */
export function sendMessage(exchange: Exchange, message: Readonly<Record<string, unknown>>): void {
  sendText(exchange, JSON.stringify({ jsonrpc: '2.0', id: exchange.id, ...message }));
}

export const sendResult = (exchange: Exchange, result: unknown): void => sendMessage(exchange, { result });

/** How the server behaves towards one client, and the calls of this client that reached it. */
type Client = { readonly phase: Phase; readonly form: Form; readonly misbehave: Misbehavior; calls: number };

/** A server that behaves well towards a client until the phase, and then misbehaves. */
export async function startHostileServer() {
  // By their paths: a request of a client that gave up may arrive after those of the next one.
  const clients = new Map<string, Client>();
  let origin = '';
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    void readBody(request).then((body) => {
      const { method, id } = v.parse(rpc, parse(body));
      const phase = PHASES[method];
      const path = request.url ?? '';
      const client = clients.get(path);
      // To an address that a redirect of the newest client led to, the server behaves well.
      const caller = client ?? [...clients.values()].at(-1);
      if (caller && phase === 'call') caller.calls += 1;
      if (id === undefined || phase === undefined) return void response.writeHead(202).end();
      const form = client?.form ?? 'json';
      const exchange = { response, id, form, phase, good: GOOD[phase], path };
      return client?.phase === phase ? client.misbehave(exchange) : sendResult(exchange, exchange.good);
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const address = server.address();
  if (typeof address === 'object' && address !== null) origin = `http://127.0.0.1:${address.port}`;
  return {
    origin,
    /** Returns the address for a client towards which the server misbehaves in this way, and how many of its calls reached the server. */
    behave(
      phase: Phase,
      form: Form,
      misbehave: Misbehavior,
    ): { readonly url: string; readonly calls: () => number } {
      const path = `/mcp/${clients.size}`;
      const client: Client = { phase, form, misbehave, calls: 0 };
      clients.set(path, client);
      return { url: `${origin}${path}`, calls: () => client.calls };
    },
    async close(): Promise<void> {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  request.setEncoding('utf8');
  for await (const chunk of request) body += String(chunk);
  return body;
}
