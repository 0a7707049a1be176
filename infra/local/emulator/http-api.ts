import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { serveFunctionUrl } from './function-urls.ts';
import { BodyTooLargeError, readBody } from '../body.ts';
import { LOAD_ERROR_TYPE, TIMEOUT_ERROR_TYPE } from '../functions/functions.ts';
import {
  createGatewayResponse,
  createHttpEvent,
  toHttpResponse,
  splitTarget,
  type HttpResponse,
} from './http-event.ts';
import type { Route } from '../template/resource-types.ts';
import { matchRoute, type RouteMatch } from './routes.ts';
import type { InvocationOutcome } from '../functions/thread.ts';
import { Throttles } from './throttles.ts';
import { createConcurrencyLimit } from '../functions/concurrency-limit.ts';
import { errorName } from '../../../shared/utils/index.ts';

/** API Gateway's limit of a request body. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Lambda's limit of an event. */
const MAX_EVENT_BYTES = 6 * 1024 * 1024;
/** Paths of the function with a URL of its own. */
const FUNCTION_URL_PATH = '/v1/';
/** Concurrent requests per function. */
const MAX_CONCURRENT_REQUESTS = 16;

type RequestLimits = {
  readonly inTurn: ReturnType<typeof createConcurrencyLimit>;
  readonly throttles: Throttles;
};
type ResponseObserver = (contentType: string, body: Buffer) => Promise<void>;

/** What the HTTP API serves; `page` and `dashboard` are the redirect targets of its root and of `/dashboard`. */
export type ApiTarget = {
  readonly routes: readonly Route[];
  /** The function with a URL of its own, if there is one. Here it is below `FUNCTION_URL_PATH`. */
  readonly functionUrl?: string | undefined;
  readonly page: string | null;
  readonly dashboard?: string | undefined;
  readonly invoke: (
    functionId: string,
    event: unknown,
    onPart?: (bytes: Uint8Array) => void,
  ) => Promise<InvocationOutcome>;
  /**
   * Sees every request before the function. Its return value sees the response before the client. Its errors do not change
   * the response.
   */
  readonly observe?:
    | ((
        path: string,
        header: (name: string) => string | undefined,
        body: Buffer,
      ) => ResponseObserver | undefined)
    | undefined;
  readonly note?: (line: string) => void;
};

/** Creates a server that emulates the HTTP API. Responds with 503 while `side` returns undefined. `now` in ms. */
export function createHttpApi(side: () => ApiTarget | undefined, now: () => number = Date.now): Server {
  const gate = { inTurn: createConcurrencyLimit(MAX_CONCURRENT_REQUESTS), throttles: new Throttles(now) };
  return createServer((request, response) => {
    const target = side();
    const { functionUrl } = target ?? {};
    if (target && functionUrl !== undefined && request.url?.startsWith(FUNCTION_URL_PATH)) {
      serveFunctionUrl(request, response, functionUrl, target.invoke).catch((error: unknown) =>
        sendError(response, error),
      );
      return;
    }
    handleRequest(request, target, gate).then(
      (result) => send(response, result),
      (error: unknown) => sendError(response, error),
    );
  });
}

async function handleRequest(
  request: IncomingMessage,
  side: ApiTarget | undefined,
  { inTurn: limitConcurrency, throttles }: RequestLimits,
): Promise<HttpResponse> {
  if (side === undefined) return createGatewayResponse(503, 'Service Unavailable');
  const { method = 'GET', url: target = '/' } = request;
  const { path } = splitTarget(target);
  const match = matchRoute(side.routes, method, path);
  if (match === undefined) {
    if (method === 'GET' && path === '/' && side.page !== null)
      return redirect(seenFrom(side.page, request.headers.host));
    if (method === 'GET' && path === '/dashboard' && side.dashboard !== undefined)
      return isFromThisMachine(request.socket)
        ? redirect(side.dashboard)
        : createGatewayResponse(403, 'The dashboard can only be opened on the machine itself.');
    request.resume();
    return createGatewayResponse(404, 'Not Found');
  }
  const { key, throttle } = match.route;
  if (throttle && !throttles.take(key, throttle)) {
    request.resume();
    return createGatewayResponse(429, 'Too Many Requests');
  }
  return await invokeFunction(request, target, match, side, limitConcurrency);
}

const redirect = (location: string): HttpResponse => ({
  status: 302,
  headers: { location },
  body: Buffer.alloc(0),
});

/** Whether the sender is this machine, which may use any of its own addresses. */
export const isFromThisMachine = ({
  remoteAddress = '',
  localAddress,
}: Pick<Socket, 'remoteAddress' | 'localAddress'>): boolean =>
  remoteAddress === localAddress || /^(?:::ffff:)?127\.|^::1$/u.test(remoteAddress);

/**
 * Returns the URL of a page of this machine for whoever sent the request: with the IP address or short name that they used,
 * because the loopback address of another machine leads to that one.
 */
function seenFrom(url: string, host = ''): string {
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  const isIpAddress = isIP(name.replaceAll(/[[\]]/gu, '')) > 0;
  const isOfThisMachine = name === 'localhost' || /^127\.|^\[::1\]$/u.test(name);
  if (isOfThisMachine || !(isIpAddress || /^[^.]+(?:\.local)?$/u.test(name))) return url;
  const seen = new URL(url);
  seen.hostname = name;
  return seen.href;
}

async function invokeFunction(
  request: IncomingMessage,
  target: string,
  match: RouteMatch,
  side: ApiTarget,
  limitConcurrency: RequestLimits['inTurn'],
): Promise<HttpResponse> {
  const { method = 'GET', httpVersion, rawHeaders } = request;
  const body = await readBody(request, MAX_BODY_BYTES);
  const remoteAddress = request.socket.remoteAddress ?? '127.0.0.1';
  const httpRequest = { method, target, httpVersion, remoteAddress, rawHeaders, body };
  const event = createHttpEvent(httpRequest, match, randomUUID(), Date.now());
  if ((event.body?.length ?? 0) > MAX_EVENT_BYTES)
    throw new BodyTooLargeError('The event is larger than a function takes');
  const { path } = splitTarget(target);
  const failed = (error: unknown): void =>
    side.note?.(`a simulator could not follow a request to ${path}: ${errorName(error)}`);
  const answered = callObserver(() => side.observe?.(path, (name) => event.headers[name], body), failed);
  const { functionId, timeoutMs } = match.route;
  const timedOut = Promise.withResolvers<HttpResponse>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    timedOut.resolve(createGatewayResponse(503, 'Service Unavailable'));
  }, timeoutMs);
  const invoke = async () => toResponse(await side.invoke(functionId, event));
  try {
    // A request that waited until its timeout is not processed.
    const result = await Promise.race([
      limitConcurrency(functionId, () => (isLate ? timedOut.promise : invoke())),
      timedOut.promise,
    ]);
    const type = String(result.headers['content-type'] ?? '');
    // `npx parley doctor` counts these: the usual reason is a wrong signing secret.
    if (result.status === 401) side.note?.(`${new Date().toISOString()} ${method} ${path}: 401`);
    if (result.status === 200) await answered?.(type, result.body).catch(failed);
    return result;
  } finally {
    clearTimeout(timer);
  }
}

function callObserver(
  look: () => ResponseObserver | undefined,
  failed: (error: unknown) => void,
): ResponseObserver | undefined {
  try {
    return look();
  } catch (error) {
    failed(error);
    return undefined;
  }
}

function toResponse(outcome: InvocationOutcome): HttpResponse {
  if (outcome.kind === 'answer') return toHttpResponse(outcome.payload);
  // A function that is started again is away for a moment only; AWS sends 500 then. Platforms retry both.
  return [TIMEOUT_ERROR_TYPE, LOAD_ERROR_TYPE].includes(outcome.errorType)
    ? createGatewayResponse(503, 'Service Unavailable')
    : createGatewayResponse(500, 'Internal Server Error');
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  if (error instanceof BodyTooLargeError) {
    response.setHeader('connection', 'close');
    send(response, createGatewayResponse(413, 'Request Entity Too Large'));
  } else send(response, createGatewayResponse(500, 'Internal Server Error'));
}

function send(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  if (response.destroyed) return;
  for (const [name, value] of Object.entries(headers)) {
    // API Gateway drops invalid headers of a function and still responds.
    try {
      response.setHeader(name, value);
    } catch {
      continue;
    }
  }
  response.removeHeader('transfer-encoding');
  response.setHeader('content-length', body.length);
  response.writeHead(status);
  response.end(body);
}
