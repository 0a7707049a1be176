import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { InvalidArguments, type SimulatedTool, ToolFailure } from './tools.ts';

/** The versions of the protocol that the simulated servers speak, the newest first. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];

/** The response of a simulated server. `message`: JSON-RPC, as JSON or as an event. */
export type McpResponse = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: unknown;
};

const rpc = v.object({
  jsonrpc: v.literal('2.0'),
  id: v.optional(v.union([v.string(), v.number()])),
  method: v.optional(v.string()),
  params: v.optional(v.record(v.string(), v.unknown()), {}),
});

const refuse = (status: number, text: string): McpResponse => ({
  status,
  message: { jsonrpc: '2.0', id: null, error: { code: -32_000, message: text } },
});

/** One server: its tools, and the sessions of its clients. Follows the transport rules of the specification of 2025-06-18. */
export class McpEndpoint {
  readonly #name: string;
  readonly #tools: readonly SimulatedTool[];
  readonly #sessions = new Map<string, string>();
  /** The names of the called tools, in order. */
  readonly calls: string[] = [];

  constructor(name: string, tools: readonly SimulatedTool[]) {
    this.#name = name;
    this.#tools = tools;
  }

  /** The sessions that no client has ended. */
  get openSessions(): number {
    return this.#sessions.size;
  }

  handle({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>, body: string): McpResponse {
    if (method === 'DELETE') return this.#endSession(headers);
    // It sends no messages of its own.
    if (method !== 'POST') return { status: 405, headers: { allow: 'POST, DELETE' } };
    const accept = headers.accept ?? '';
    if (!accept.includes('application/json') || !accept.includes('text/event-stream'))
      return refuse(406, 'Accept must list application/json and text/event-stream');
    if (!headers['content-type']?.startsWith('application/json')) return refuse(415, 'Not JSON');
    const request = parseMessage(body);
    if (!request) return refuse(400, 'Not one JSON-RPC message');
    if (request.method === 'initialize') return this.#initialize(request);
    const session = headers['mcp-session-id'];
    if (typeof session !== 'string') return refuse(400, 'Mcp-Session-Id is missing');
    const version = this.#sessions.get(session);
    if (version === undefined) return refuse(404, 'Unknown session');
    if (headers['mcp-protocol-version'] !== version)
      return refuse(400, 'MCP-Protocol-Version is not the agreed one');
    if (request.id === undefined) return { status: 202 };
    return { status: 200, message: { jsonrpc: '2.0', id: request.id, ...this.#answer(request) } };
  }

  #endSession(headers: IncomingMessage['headers']): McpResponse {
    const session = headers['mcp-session-id'];
    return { status: typeof session === 'string' && this.#sessions.delete(session) ? 204 : 404 };
  }

  #initialize({ id, params }: v.InferOutput<typeof rpc>): McpResponse {
    const requestedVersion = params['protocolVersion'];
    const version = VERSIONS.find((one) => one === requestedVersion) ?? VERSIONS[0] ?? '';
    const session = randomUUID();
    this.#sessions.set(session, version);
    const result = {
      protocolVersion: version,
      capabilities: { tools: {} },
      serverInfo: { name: this.#name, version: '1.0.0' },
    };
    return {
      status: 200,
      headers: { 'mcp-session-id': session },
      message: { jsonrpc: '2.0', id, result },
    };
  }

  #answer({ method = '', params }: v.InferOutput<typeof rpc>) {
    switch (method) {
      case 'ping':
        return { result: {} };
      case 'tools/list':
        return { result: { tools: this.#tools.map(describeTool) } };
      case 'tools/call':
        return this.#call(String(params['name']), params['arguments'] ?? {});
      default:
        return { error: { code: -32_601, message: 'Method not found' } };
    }
  }

  #call(name: string, args: unknown) {
    const tool = this.#tools.find((one) => one.name === name);
    if (!tool) return { error: { code: -32_602, message: `Unknown tool: ${name}` } };
    try {
      const text = tool.run(args);
      this.calls.push(name);
      return { result: { content: [{ type: 'text', text }] } };
    } catch (error) {
      if (error instanceof InvalidArguments)
        return { error: { code: -32_602, message: 'Invalid arguments' } };
      if (!(error instanceof ToolFailure)) throw error;
      return { result: { content: [{ type: 'text', text: error.message }], isError: true } };
    }
  }
}

/** The tool as `tools/list` shows it. */
const describeTool = ({ name, title, description, inputSchema, annotations }: SimulatedTool) => ({
  name,
  title,
  description,
  inputSchema,
  annotations,
});

function parseMessage(body: string): v.InferOutput<typeof rpc> | undefined {
  try {
    const { success, output } = v.safeParse(rpc, JSON.parse(body));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}
