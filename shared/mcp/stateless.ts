import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LATEST_PROTOCOL_VERSION, McpError } from '@modelcontextprotocol/sdk/types.js';
import * as v from 'valibot';
import type { JsonObject } from './expand-schema.ts';
import { isRecord, parseJson } from '../utils/index.ts';
import type { Guard } from './guarded-fetch.ts';

/*
 * Servers of the revision 2026-07-28 that speak no earlier one: without `initialize` and sessions. Each request names its version and its client, and
 * repeats some of its parts in headers. The SDK speaks earlier revisions, so its requests are rewritten.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */

type Fetch = Guard['fetch'];

const VERSION = '2026-07-28';
/** HeaderMismatch, MissingRequiredClientCapability, UnsupportedProtocolVersion: codes that only this revision has. */
const CODES: readonly number[] = [-32_020, -32_021, -32_022];

const errorSchema = v.object({ error: v.object({ code: v.number() }) });
const messageSchema = v.looseObject({
  id: v.optional(v.union([v.string(), v.number()])),
  method: v.optional(v.string()),
  params: v.optional(v.record(v.string(), v.unknown()), {}),
});

/** Whether a server refused `initialize` because it speaks this revision only: by a code of it, or by its name, which it should give in any error. */
export function isStatelessServer(error: unknown): boolean {
  if (error instanceof McpError) return CODES.includes(error.code) || isVersionNamed(error);
  if (!(error instanceof StreamableHTTPError)) return false;
  const body = parseJson(error.message.slice(error.message.indexOf('{')));
  return v.is(errorSchema, body) && (CODES.includes(body.error.code) || isVersionNamed(error, body));
}

const isVersionNamed = ({ message }: Error, data?: unknown): boolean =>
  `${message} ${JSON.stringify(data)}`.includes(VERSION);

/** The path of a parameter, and the header that repeats its value. */
type MirroredParameter = { readonly path: readonly string[]; readonly header: string };

/** Rewrites the requests of the SDK for a server without sessions. */
export class StatelessRequests {
  readonly #fetch: Fetch;
  #mirrored: readonly MirroredParameter[] = [];

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  /** Says which parameters of the called tool are repeated in headers. */
  mirror(inputSchema: unknown): void {
    this.#mirrored = findMirrored(inputSchema);
  }

  readonly fetch: Fetch = async (address, init) => {
    const body = typeof init?.body === 'string' ? parseJson(init.body) : undefined;
    const { success, output: message } = v.safeParse(messageSchema, body);
    if (init?.method !== 'POST' || !success) return new Response(null, { status: 405 });
    const { id, method, params } = message;
    if (method === 'initialize') return toResponse(id);
    // Notifications and answers are not part of this revision.
    if (id === undefined || method === undefined) return new Response(null, { status: 202 });
    const headers = new Headers(init.headers);
    headers.set('mcp-protocol-version', VERSION);
    headers.set('mcp-method', method);
    const { name, arguments: args } = params;
    if (typeof name === 'string') headers.set('mcp-name', encodeHeader(name));
    for (const { path, header } of this.#mirrored) {
      const value = path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), args);
      if (isPrimitive(value)) headers.set(header, encodeHeader(String(value)));
    }
    const sent = { ...message, params: { ...params, _meta: META } };
    return this.#fetch(address, { ...init, headers, body: JSON.stringify(sent) });
  };
}

const CLIENT = { name: 'parley', version: '0.1.0' };
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The answer to the `initialize` of the SDK, which this revision does not have. */
function toResponse(id: string | number | undefined): Response {
  const result = {
    protocolVersion: LATEST_PROTOCOL_VERSION,
    capabilities: { tools: {} },
    serverInfo: { name: 'server', version: '0' },
  };
  return Response.json({ jsonrpc: '2.0', id, result });
}

/** Finds `x-mcp-header` where it is allowed: at properties of properties. */
function findMirrored(schema: unknown, path: readonly string[] = []): MirroredParameter[] {
  const properties: JsonObject =
    isRecord(schema) && isRecord(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).flatMap(([key, property]) => {
    const own = [...path, key];
    const name = isRecord(property) ? property['x-mcp-header'] : undefined;
    const isHeader = typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]{1,100}$/u.test(name);
    const deeper = path.length < MAX_DEPTH ? findMirrored(property, own) : [];
    return isHeader ? [{ path: own, header: `mcp-param-${name}` }, ...deeper] : deeper;
  });
}
const MAX_DEPTH = 6;

const isPrimitive = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);

/** A value that is no plain text of a header, or looks like an encoded one, is encoded. */
const encodeHeader = (value: string): string =>
  /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/u.test(value) && !/^=\?base64\?.*\?=$/u.test(value)
    ? value
    : `=?base64?${Buffer.from(value).toString('base64')}?=`;
