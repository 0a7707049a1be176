import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  AuthorizationServer,
  type AuthorizationServerOptions,
  type OAuthResponse,
} from './authorization-server.ts';
import { McpEndpoint, type McpResponse } from './protocol.ts';
import { HANDBOOK } from './handbook.ts';
import { type SimulatedIssue, statusTools, trackerTools } from './tools.ts';

export type { SimulatedIssue } from './tools.ts';

/** The running servers. */
export type McpSimulator = {
  readonly origin: string;
  /** Reads only, and needs no key. */
  readonly statusUrl: string;
  /** Has effects, and needs a sign-in or `apiKey`. */
  readonly trackerUrl: string;
  readonly apiKey: string;
  /** A page for the collections of channels. */
  readonly handbookUrl: string;
  /** The sessions that no client has ended, of all servers. */
  openSessions(): number;
  /** What was created in the tracker. */
  readonly issues: readonly SimulatedIssue[];
  /** The calls of the status page and of the tracker, in order. */
  readonly calls: { readonly status: readonly string[]; readonly tracker: readonly string[] };
  /** Ends the access tokens of all sign-ins. */
  expireTokens(): void;
  close(): Promise<void>;
};

export type McpSimulatorOptions = {
  /** Default: any free port. */
  readonly port?: number | undefined;
  readonly apiKey?: string | undefined;
  readonly authorization?: AuthorizationServerOptions | undefined;
};

const MAX_BODY_BYTES = 1_000_000;
/** Not at the usual address: only the challenge says where it is, as RFC 9728 permits. */
const METADATA_PATH = '/tracker/oauth-metadata';

/** Starts the servers on loopback. */
export async function startMcpSimulator({
  port = 0,
  apiKey = 'tracker-key-of-the-simulator',
  authorization,
}: McpSimulatorOptions = {}): Promise<McpSimulator> {
  const { tools, issues } = trackerTools();
  const status = new McpEndpoint('Status page', statusTools);
  const tracker = new McpEndpoint('Issue tracker', tools);
  let oauth: AuthorizationServer | undefined;
  let origin = '';
  const server = createServer((request, response) => {
    void respond(request, response).catch(() => response.destroy());
  });
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(request);
    const url = new URL(request.url ?? '/', origin);
    if (url.pathname === '/handbook')
      return send(response, {
        status: 200,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: HANDBOOK,
      });
    if (url.pathname === '/status/mcp') return sendMessage(response, status.handle(request, body), false);
    if (!oauth) return send(response, { status: 503, body: '' });
    if (url.pathname !== '/tracker/mcp')
      return send(response, handleOAuth(request, url, body, oauth, origin));
    const token = /^Bearer (\S+)$/u.exec(request.headers.authorization ?? '')?.[1];
    if (token !== undefined && (token === apiKey || oauth.accepts(token)))
      return sendMessage(response, tracker.handle(request, body), true);
    const metadata = `${origin}${METADATA_PATH}`;
    return send(response, {
      status: 401,
      headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` },
      body: '',
    });
  };
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(port, '127.0.0.1', listening.resolve);
  await listening.promise;
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  origin = `http://127.0.0.1:${address.port}`;
  oauth = new AuthorizationServer(origin, `${origin}/tracker/mcp`, authorization);
  return {
    origin,
    statusUrl: `${origin}/status/mcp`,
    trackerUrl: `${origin}/tracker/mcp`,
    apiKey,
    handbookUrl: `${origin}/handbook`,
    issues,
    calls: { status: status.calls, tracker: tracker.calls },
    openSessions: () => status.openSessions + tracker.openSessions,
    expireTokens: () => oauth?.expireTokens(),
    close: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

function handleOAuth(
  { method }: IncomingMessage,
  url: URL,
  body: string,
  oauth: AuthorizationServer,
  origin: string,
): OAuthResponse {
  switch (`${method} ${url.pathname}`) {
    case `GET ${METADATA_PATH}`:
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          resource: `${origin}/tracker/mcp`,
          authorization_servers: [origin],
          scopes_supported: ['issues'],
        }),
      };
    case `GET ${oauth.metadataPath}`:
      return oauth.metadata();
    case 'POST /register':
      return oauth.register(body);
    case 'GET /authorize':
      return oauth.authorize(url.searchParams);
    case 'POST /token':
      return oauth.token(body);
    default:
      return { status: 404, body: '' };
  }
}

function send(response: ServerResponse, { status, headers, body }: OAuthResponse): void {
  response.writeHead(status, headers).end(body);
}

/** The protocol allows both forms of a response: `asEvent` as an event stream. */
function sendMessage(
  response: ServerResponse,
  { status, headers, message }: McpResponse,
  asEvent: boolean,
): void {
  if (message === undefined) return void response.writeHead(status, headers).end();
  const text = JSON.stringify(message);
  const isEvent = asEvent && status === 200;
  const type = isEvent ? 'text/event-stream' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(isEvent ? `event: message\ndata: ${text}\n\n` : text);
}

async function readAll(request: IncomingMessage): Promise<string> {
  let body = '';
  request.setEncoding('utf8');
  for await (const chunk of request) {
    body += String(chunk);
    if (body.length > MAX_BODY_BYTES) throw new Error('too large');
  }
  return body;
}
