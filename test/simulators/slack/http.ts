import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Args } from './args.ts';

/** Slack's own limit is unknown; this is well above all that a bot sends. */
const BODY_LIMIT = 2_000_000;

/** The body of a request; undefined when it is too long. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue;
    size += part.length;
    if (size > BODY_LIMIT) return undefined;
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

/** A call's arguments and token: from the query, a form or JSON, and from the header or an argument. */
export type Call = { readonly args: Args; readonly token: string | undefined };

/** Undefined for JSON that is none, which Slack answers with `invalid_json`. */
export function callOf(request: IncomingMessage, url: URL, body: string): Call | undefined {
  const type = request.headers['content-type'] ?? '';
  const query = Object.fromEntries(url.searchParams);
  const given = type.startsWith('application/json')
    ? jsonArgs(body)
    : Object.fromEntries(new URLSearchParams(body));
  if (!given) return undefined;
  const { token, ...args }: Record<string, unknown> = { ...query, ...given };
  const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return { args, token: bearer ?? (typeof token === 'string' ? token : undefined) };
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
