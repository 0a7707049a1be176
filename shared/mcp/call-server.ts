import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import type { JsonObject } from './expand-schema.ts';
import { Guard, GuardError, type HostRules } from './guarded-fetch.ts';
import {
  MAX_LISTED_TOOLS,
  type ToolClientRequest,
  type ToolClientResponse,
  type ToolServerFailure,
} from './protocol.ts';
import { renderResult, toServerTools } from './render-result.ts';
import { isRecord } from '../utils/index.ts';
import { isStatelessServer, StatelessRequests } from './stateless.ts';

/** A page of some servers has 10 tools. Fewer than the requests of one operation, with those of its session. */
const MAX_PAGES = 8;
/** How long a result waits until the server has ended the session. */
const SESSION_END_MS = 1_000;

/** Schemas of servers are not compiled: that runs code made of them. Results are text here, and need none. */
const noSchemas: jsonSchemaValidator = {
  getValidator: () => () => ({
    valid: false,
    data: undefined,
    errorMessage: 'schemas of servers are not used',
  }),
};

type ServerRequest = Extract<ToolClientRequest, { kind: 'list' | 'call' }>;

/** Lists the tools of a server, or calls one of them, in a session of its own, which it ends. Never rejects, and ends within `timeoutMs`, and 1 s for the end of the session. */
export async function requestServer(request: ServerRequest, rules: HostRules): Promise<ToolClientResponse> {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(request.timeoutMs)]);
  const guard = new Guard({ ...rules, signal });
  const timedOut = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => timedOut.reject(new GuardError('too-slow')), { once: true });
  timedOut.promise.catch(() => undefined);
  const opened: StreamableHTTPClientTransport[] = [];
  try {
    return await Promise.race([runSession(request, guard, opened, signal), guard.broken, timedOut.promise]);
  } catch (error) {
    return {
      kind: 'failed',
      reason: failureReason(error),
      mayHaveRun: guard.mayHaveRun && mayHaveRun(error),
    };
  } finally {
    await Promise.all(opened.map(endSession));
    ended.abort();
  }
}

/** Throws for an address that is none. */
const createTransport = (
  { url, token }: ServerRequest,
  fetch: Guard['fetch'],
): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL(url), {
    fetch: (address, init) => fetch(address, init),
    requestInit: token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
    // A stream that broke off is not taken up again: whether the call ran is not known.
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
  });

/** Many servers keep a session in memory until its client deletes it. Those without sessions get no request. */
async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  const gaveUp = Promise.withResolvers<void>();
  const timer = setTimeout(gaveUp.resolve, SESSION_END_MS);
  await Promise.race([transport.terminateSession().catch(() => undefined), gaveUp.promise]);
  clearTimeout(timer);
  await transport.close().catch(() => undefined);
}

async function runSession(
  request: ServerRequest,
  guard: Guard,
  opened: StreamableHTTPClientTransport[],
  signal: AbortSignal,
): Promise<ToolClientResponse> {
  const options = { signal, timeout: request.timeoutMs };
  const open = async (fetch: Guard['fetch'], isStateless: boolean) => {
    const transport = createTransport(request, fetch);
    opened.push(transport);
    const client = new Client(
      { name: 'parley', version: '0.1.0' },
      { capabilities: {}, jsonSchemaValidator: noSchemas },
    );
    await client.connect(transport, options);
    return { client, isStateless };
  };
  const rewritten = new StatelessRequests(guard.fetch);
  const { client, isStateless } = await open(guard.fetch, false).catch((error: unknown) => {
    if (!isStatelessServer(error)) throw error;
    return open(rewritten.fetch, true);
  });
  if (request.kind === 'list')
    return { kind: 'listed', tools: toServerTools(await listTools(client, options)) };
  if (isStateless) {
    rewritten.mirror(await findSchema(client, request.tool, options));
    // A long list takes no room from the result.
    guard.resetBytes();
  }
  return callTool(client, request, options);
}

/** Reads the schema of a tool as its server states it now, and no pages after it. */
async function findSchema(client: Client, name: string, options: RequestOptions): Promise<unknown> {
  const isCalled = (tool: unknown): tool is JsonObject => isRecord(tool) && tool['name'] === name;
  const tools = await listTools(client, options, isCalled);
  return tools.find(isCalled)?.['inputSchema'];
}

type RequestOptions = { readonly signal: AbortSignal; readonly timeout: number };

/** Lists the tools of a server, up to the page with one that is looked for. */
async function listTools(
  client: Client,
  options: RequestOptions,
  isLast: (tool: unknown) => boolean = () => false,
): Promise<unknown[]> {
  const listed: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && listed.length < MAX_LISTED_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const request = { method: 'tools/list', params } as const;
    const { tools, nextCursor }: JsonObject = await client.request(request, ResultSchema, options);
    listed.push(...toList(tools));
    if (listed.some((tool) => isLast(tool))) break;
    if (typeof nextCursor !== 'string' || nextCursor === '' || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  return listed;
}

function toList(tools: unknown): readonly unknown[] {
  if (!Array.isArray(tools)) throw new GuardError('invalid');
  return tools;
}

/** The bot says that it can ask nobody; some servers ask all the same. */
const NEEDS_INPUT: ToolClientResponse = {
  kind: 'called',
  text: 'The tool did not finish: its server asks for more information, which it cannot be given.',
  isError: true,
};

async function callTool(
  client: Client,
  { tool: name, args }: Extract<ServerRequest, { kind: 'call' }>,
  options: RequestOptions,
): Promise<ToolClientResponse> {
  const request = { method: 'tools/call', params: { name, arguments: args } } as const;
  const result = await client.request(request, ResultSchema, options).catch((error: unknown) => {
    if (error instanceof McpError && error.code === INVALID_PARAMS) return error;
    throw error;
  });
  const isRefused = result instanceof McpError;
  const { isError = false, resultType, ...content }: JsonObject = isRefused ? toFailedResult(result) : result;
  if (resultType === 'input_required') return NEEDS_INPUT;
  // Since 2026-07-28. https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype
  if (typeof resultType === 'string' && resultType !== 'complete') throw new GuardError('invalid');
  const text = renderResult(content);
  if (text === undefined) throw new GuardError('invalid');
  return {
    kind: 'called',
    text,
    isError: isError !== false && isError !== null,
    ...(isRefused && { isRefused }),
  };
}

/**
 * Servers say that arguments are invalid in a result, or in an error of the protocol (versions before 2025-11-25 left it open). The model has to
 * see either: it can correct them.
 */
const toFailedResult = ({ message }: McpError): JsonObject => ({
  content: [{ type: 'text', text: message }],
  isError: true,
});

/** Numbers, as errors have them. */
const TIMED_OUT: number = ErrorCode.RequestTimeout;
const CONNECTION_CLOSED: number = ErrorCode.ConnectionClosed;
const INVALID_PARAMS: number = ErrorCode.InvalidParams;

function failureReason(error: unknown): ToolServerFailure {
  if (error instanceof GuardError) return error.reason;
  if (error instanceof McpError) {
    if (error.code === TIMED_OUT) return 'too-slow';
    return error.code === CONNECTION_CLOSED ? 'unreachable' : 'refused';
  }
  if (error instanceof StreamableHTTPError) {
    const { code = 0 } = error;
    if (code === 401 || code === 403) return 'unauthorized';
    if (code >= 300 && code < 400) return 'redirected';
    return code >= 400 ? 'refused' : 'invalid';
  }
  // A redirect of the SDK's fetch, an answer that is no JSON or not of the protocol, a version that nobody knows.
  return 'invalid';
}

const NOT_RUN: readonly number[] = [ErrorCode.MethodNotFound, ErrorCode.InvalidRequest, ErrorCode.ParseError];

/** An error of the protocol says that the tool did not run; any other failure after the call was sent leaves that open. */
const mayHaveRun = (error: unknown): boolean => !(error instanceof McpError) || !NOT_RUN.includes(error.code);
