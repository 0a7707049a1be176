import type { IncomingMessage } from 'node:http';
import * as v from 'valibot';
import type { McpResponse } from './protocol.ts';

const VERSION = '2026-07-28';
const rpc = v.object({
  jsonrpc: v.literal('2.0'),
  id: v.union([v.string(), v.pipe(v.number(), v.integer())]),
  method: v.string(),
  params: v.object({
    _meta: v.object({
      'io.modelcontextprotocol/protocolVersion': v.literal(VERSION),
      'io.modelcontextprotocol/clientCapabilities': v.record(v.string(), v.unknown()),
    }),
    name: v.optional(v.string()),
    cursor: v.optional(v.string()),
    arguments: v.optional(v.record(v.string(), v.unknown()), {}),
  }),
});
const identified = v.object({ id: v.optional(v.union([v.string(), v.number()])) });

/** The tool of the server: `region` and `place.room` are repeated in headers. */
const FIND = {
  name: 'find',
  description: 'Finds',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      place: { type: 'object', properties: { room: { type: 'integer', 'x-mcp-header': 'Room' } } },
      words: { type: 'string' },
    },
  },
  annotations: { readOnlyHint: true },
};

const toText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : JSON.stringify(value);
const decode = (value: string): string => {
  const encoded = /^=\?base64\?(.*)\?=$/u.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString();
};

/**
 * A server that speaks the revision 2026-07-28 only: no sessions; each request names its version and repeats parts of its body in headers, which are
 * compared. `answer` replaces the result of a call; `otherPages` are the tools of the pages that follow the first.
 */
export class StatelessEndpoint {
  /** The arguments of the calls, in order. */
  readonly calls: unknown[] = [];
  readonly #answer: Readonly<Record<string, unknown>>;

  /** How many pages of its tools were read. */
  pagesRead = 0;
  readonly #pages: readonly (readonly object[])[];

  constructor(
    answer: Readonly<Record<string, unknown>> = {},
    otherPages: readonly (readonly object[])[] = [],
  ) {
    this.#answer = answer;
    this.#pages = [[FIND], ...otherPages];
  }

  handle({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>, body: string): McpResponse {
    if (method !== 'POST') return { status: 405, headers: { allow: 'POST' } };
    const refuse = (status: number, code: number, message: string, data?: object): McpResponse => {
      const { id = null } = v.parse(identified, JSON.parse(body));
      return { status, message: { jsonrpc: '2.0', id, error: { code, message, data } } };
    };
    if (headers['mcp-protocol-version'] !== VERSION)
      return refuse(400, -32_022, 'Unsupported protocol version', { supported: [VERSION] });
    if (headers['mcp-session-id'] !== undefined) return refuse(400, -32_600, 'There are no sessions');
    const { success, output } = v.safeParse(rpc, JSON.parse(body));
    if (!success) return refuse(400, -32_602, 'Not a request of this revision');
    const { id, method: called, params } = output;
    if (headers['mcp-method'] !== called) return refuse(400, -32_020, 'Mcp-Method');
    if (called === 'tools/list') return this.#list(id, Number(params.cursor ?? 0));
    if (called !== 'tools/call') return refuse(404, -32_601, 'Method not found');
    const place = v.parse(
      v.optional(v.object({ room: v.optional(v.number()) }), {}),
      params.arguments['place'],
    );
    const expected = [
      ['mcp-name', params.name],
      ['mcp-param-region', params.arguments['region']],
      ['mcp-param-room', place.room],
    ] as const;
    for (const [name, value] of expected) {
      const sent = headers[name];
      if ((typeof sent === 'string' ? decode(sent) : undefined) !== toText(value))
        return refuse(400, -32_020, `${name} does not match`);
    }
    this.calls.push(params.arguments);
    return this.#respond(id, { content: [{ type: 'text', text: 'Found.' }], ...this.#answer });
  }

  #list(id: string | number, page: number): McpResponse {
    this.pagesRead += 1;
    const isLast = page + 1 >= this.#pages.length;
    return this.#respond(id, {
      tools: this.#pages[page],
      ttlMs: 0,
      cacheScope: 'public',
      ...(!isLast && { nextCursor: String(page + 1) }),
    });
  }

  #respond(id: string | number, result: object): McpResponse {
    return { status: 200, message: { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } } };
  }
}
