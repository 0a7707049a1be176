import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import * as v from 'valibot';
import { USER_AGENT } from '../utils/index.ts';
import type { ToolServerFailure } from './protocol.ts';

/** A request was not sent, or its response was not read, for a reason that people are told. */
export class GuardError extends Error {
  override readonly name = 'GuardError';
  readonly reason: ToolServerFailure;
  constructor(reason: ToolServerFailure, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}

/** Which servers may be called. */
export type HostRules = {
  /** Resolves only names that lead to the public internet: `createPublicLookup`. */
  readonly lookup: LookupFunction;
  /** Origins that are called all the same, for simulated servers. Empty in a deployment. */
  readonly allowedOrigins: readonly string[];
};

/** The bytes of all responses of one operation, or of a part of it (`resetBytes`), unless `allowBytes` sets others. A list of 64 tools with their schemas has about 300 KB. */
const MAX_BYTES = 1_000_000;
/** The requests of one operation: three or four for a call, and up to ten if its server has to list its tools first; the rest are answers to requests of the server. */
const MAX_REQUESTS = 16;
/** The SDK has processed a stream that ended by then: it does so without waiting for anything. */
const AFTER_END_MS = 50;

const messageSchema = v.object({ id: v.optional(v.unknown()), method: v.optional(v.string()) });

type FetchInit = {
  readonly method?: string | undefined;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: unknown;
  readonly signal?: AbortSignal | null | undefined;
  /** Only the status of the response matters: its body is not received, however it is encoded. */
  readonly isStatusEnough?: boolean | undefined;
};
type GuardOptions = HostRules & { readonly signal: AbortSignal };
type RequestTarget = { readonly url: URL; readonly lookup: LookupFunction | undefined };

/**
 * `fetch` for servers of strangers, for one operation: https and public addresses only, checked when the connection is made; no redirects (the
 * SDK follows those within the origin); limits on requests and bytes; no compressed responses.
 */
export class Guard {
  readonly #options: GuardOptions;
  readonly #broken = Promise.withResolvers<never>();
  #maxBytes = MAX_BYTES;
  #bytes = 0;
  #requests = 0;
  /** Requests without a complete response. */
  #open = 0;
  #isCallSent = false;
  #lastStatus = 0;
  /** Where messages to an address go, since the server redirected one of them. */
  readonly #redirects = new Map<string, URL>();
  #mayHaveRun = false;

  constructor(options: GuardOptions) {
    this.#options = options;
    // Whether or not anybody waits for it.
    this.#broken.promise.catch(() => undefined);
  }

  /** Rejects when a response breaks off: the SDK waits for another one then. */
  get broken(): Promise<never> {
    return this.#broken.promise;
  }

  /** Whether a call of a tool was sent, and its effect is not known. */
  get mayHaveRun(): boolean {
    return this.#mayHaveRun;
  }

  /** The status of the last response; 0 before the first. */
  get lastStatus(): number {
    return this.#lastStatus;
  }

  /** Sets the most bytes of the operation, for a response whose headers have arrived. */
  allowBytes(max: number): void {
    this.#maxBytes = max;
  }

  /** Ends a part of the operation: the bytes so far no longer count. */
  resetBytes(): void {
    this.#bytes = 0;
  }

  /** Rejects with GuardError, also for responses that are not read. */
  readonly fetch = async (address: string | URL, init: FetchInit = {}): Promise<Response> => {
    const { method = 'GET' } = init;
    const requestedUrl = new URL(address);
    const url = (method === 'POST' && this.#redirects.get(requestedUrl.href)) || requestedUrl;
    const headers = createHeaders(init.headers);
    // The stream for messages that nobody asked for: a call needs none.
    if (method === 'GET' && headers.get('accept') === 'text/event-stream')
      return new Response(null, { status: 405 });
    const target = { url, lookup: createLookup(url, this.#options) };
    this.#requests += 1;
    this.#open += 1;
    if (this.#requests > MAX_REQUESTS) throw this.#fail(new GuardError('invalid'));
    const body = bodyText(init.body);
    const { isCall, isRequest } = describeBody(body);
    // The end of a session is sent when the time of the operation is over, too. Who sends it limits it.
    const limits = [method === 'DELETE' ? undefined : this.#options.signal, init.signal];
    const signal = AbortSignal.any(limits.filter((limit) => limit instanceof AbortSignal));
    // A redirect asks to send the call once more.
    if (isCall && this.#isCallSent) throw this.#fail(new GuardError('redirected'));
    this.#isCallSent ||= isCall;
    if (isCall) this.#mayHaveRun = true;
    const response = await send(target, method, headers, body, signal).catch((error: unknown) => {
      this.#open -= 1;
      if (isCall && wasNotSent(error)) this.#mayHaveRun = false;
      throw toGuardError(error);
    });
    response.once('close', () => (this.#open -= 1));
    // 4xx: the server says that it did not accept the call.
    if (isCall && response.statusCode !== undefined && isClientError(response.statusCode))
      this.#mayHaveRun = false;
    if (method === 'POST' && !isCall) this.#noteRedirect(requestedUrl, response);
    const result = this.#toResponse(response, init.isStatusEnough === true);
    // No answer will follow: the protocol allows this for notifications only.
    if (isRequest && result.body === null) throw this.#fail(new GuardError('invalid'));
    return result;
  };

  /** Throws GuardError if an address may not be opened. */
  check(url: URL): void {
    createLookup(url, this.#options);
  }

  /**
   * Remembers a redirect within the origin, such as to a trailing slash, so that the call itself goes to the right address: it is not sent a second
   * time for a redirect.
   */
  #noteRedirect(requestedUrl: URL, { statusCode, headers: { location = '' } }: IncomingMessage): void {
    if ((statusCode !== 307 && statusCode !== 308) || !URL.canParse(location, requestedUrl.href)) return;
    const target = new URL(location, requestedUrl);
    if (target.origin === requestedUrl.origin) this.#redirects.set(requestedUrl.href, target);
  }

  #toResponse(message: IncomingMessage, isStatusEnough: boolean): Response {
    const { statusCode: status = 0, headers } = message;
    this.#lastStatus = status;
    const encoding = isStatusEnough ? undefined : headers['content-encoding'];
    if (status < 200 || status > 599 || (encoding !== undefined && encoding !== 'identity')) {
      message.destroy();
      throw this.#fail(new GuardError('invalid'));
    }
    const known = Object.entries(headers).filter(([, value]) => typeof value === 'string');
    const responseHeaders = new Headers();
    for (const [name, value] of known)
      if (/^[\t\x20-\x7e]*$/u.test(String(value))) responseHeaders.set(name, String(value));
    // 202: a notification was accepted; the SDK does not read it.
    if (isStatusEnough || status === 202 || status === 204 || status === 205 || status === 304) {
      message.destroy();
      return new Response(null, { status, headers: responseHeaders });
    }
    const stream = Readable.from(this.#counted(message), { objectMode: false });
    // The global `Response` takes Node's stream as its body; the types of both are separate.
    return new Response(ReadableStream.from<Uint8Array>(stream), { status, headers: responseHeaders });
  }

  async *#counted(message: IncomingMessage): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of message) {
        const bytes: Uint8Array = Buffer.from(chunk);
        this.#bytes += bytes.length;
        if (this.#bytes > this.#maxBytes) throw new GuardError('too-large');
        yield bytes;
      }
    } catch (error) {
      throw this.#fail(toGuardError(error));
    } finally {
      message.destroy();
    }
    const last = this.#requests;
    // If nothing else is on its way by then, the server has ended its stream without an answer.
    const check = () => this.#open === 0 && this.#requests === last && this.#fail(new GuardError('invalid'));
    setTimeout(check, AFTER_END_MS).unref();
  }

  #fail(error: GuardError): GuardError {
    this.#broken.reject(error);
    return error;
  }
}

function createHeaders(wanted: FetchInit['headers']): Headers {
  const headers = new Headers(wanted);
  headers.set('accept-encoding', 'identity');
  if (!headers.has('user-agent')) headers.set('user-agent', USER_AGENT);
  return headers;
}

/** The SDK sends JSON, and forms. */
function bodyText(body: unknown): string | undefined {
  if (body instanceof URLSearchParams) return body.toString();
  return typeof body === 'string' ? body : undefined;
}

/** Whether a body that the SDK wrote calls a tool, and whether it waits for an answer. */
function describeBody(body = ''): { readonly isCall: boolean; readonly isRequest: boolean } {
  if (!body.startsWith('{')) return { isCall: false, isRequest: false };
  const { id, method } = v.parse(messageSchema, JSON.parse(body));
  return { isCall: method === 'tools/call', isRequest: id !== undefined && method !== undefined };
}

/** Throws GuardError if the server may not be called. Undefined: the usual lookup. */
function createLookup(url: URL, { lookup, allowedOrigins }: HostRules): LookupFunction | undefined {
  if (url.username !== '' || url.password !== '') throw new GuardError('not-public');
  if (allowedOrigins.includes(url.origin)) return undefined;
  const host = url.hostname.replaceAll(/[[\]]/gu, '');
  const isNamed = isIP(host) === 0 && host.includes('.') && !/\.(?:local|internal|localhost)$/u.test(host);
  if (url.protocol !== 'https:' || !isNamed) throw new GuardError('not-public');
  return lookup;
}

function send(
  { url, lookup }: RequestTarget,
  method: string,
  headers: Headers,
  body: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = (url.protocol === 'http:' ? httpRequest : httpsRequest)(url, {
    method,
    headers: Object.fromEntries(headers),
    signal,
    agent: false,
    lookup,
    maxHeaderSize: 16_384,
  });
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
    request.once('close', () => reject(new GuardError('unreachable')));
    request.end(body);
  });
}

const getErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Errors before a connection exists: nothing was sent. */
const wasNotSent = (error: unknown): boolean =>
  /^(?:NOT_PUBLIC|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_.*|ERR_TLS_.*|DEPTH_ZERO_.*|UNABLE_TO_.*)$/u.test(
    getErrorCode(error),
  );

const isClientError = (status: number): boolean => status >= 400 && status < 500;

function toGuardError(error: unknown): GuardError {
  if (error instanceof GuardError) return error;
  if (getErrorCode(error) === 'NOT_PUBLIC') return new GuardError('not-public', { cause: error });
  const isTimeout = error instanceof Error && /^(?:AbortError|TimeoutError)$/u.test(error.name);
  return new GuardError(isTimeout ? 'too-slow' : 'unreachable', { cause: error });
}
