import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Args } from './args.ts';

/** Slack's own limit is unknown; this is well above any request of the bot. */
const BODY_LIMIT = 2_000_000;

/** The body of a request; undefined when it is longer than `most` bytes. */
export async function readBody(request: IncomingMessage, maxBytes = BODY_LIMIT): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue;
    size += part.length;
    if (size > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}

/** A request's arguments and token: from the query, a form or JSON, and from the header or an argument. */
export type Call = { readonly args: Args; readonly token: string | undefined };

/** Undefined for malformed JSON, to which Slack responds with `invalid_json`. */
export function callOf(request: IncomingMessage, url: URL, body: string): Call | undefined {
  const type = request.headers['content-type'] ?? '';
  const query = Object.fromEntries(url.searchParams);
  const fields = type.startsWith('application/json')
    ? jsonArgs(body)
    : Object.fromEntries(new URLSearchParams(body));
  if (!fields) return undefined;
  const { token, ...args }: Record<string, unknown> = { ...query, ...fields };
  return { args, token: bearerOf(request) ?? (typeof token === 'string' ? token : undefined) };
}

/** The token of the `Authorization` header. */
export function bearerOf(request: IncomingMessage): string | undefined {
  return /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** Parses JSON; undefined if it is malformed. */
export function jsonOf(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    return undefined;
  }
}

function jsonArgs(body: string): Record<string, unknown> | undefined {
  if (body === '') return {};
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    return { ...parsed };
  } catch {
    return undefined;
  }
}

/** Resolves with the server's origin. Rejects when the port is taken; 0 takes any free one. */
export function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${bound}`);
    });
  });
}

/** Stops the server, and closes its connections. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
