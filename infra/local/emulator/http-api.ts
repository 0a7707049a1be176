import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BodyTooLarge, readBody } from '../body.ts';
import { TIMED_OUT } from '../functions/functions.ts';
import { gatewayMessage, httpEvent, httpResponse, splitTarget } from './http-event.ts';
import type { HttpResponse } from './http-event.ts';
import type { Route } from '../template/template-resources.ts';
import { matchRoute } from './routes.ts';
import type { Match } from './routes.ts';
import type { Outcome } from '../functions/thread.ts';
import { Throttles } from './throttles.ts';
import { concurrencyLimit } from '../functions/concurrency-limit.ts';
import { errorName } from '../../../shared/utils/error-name.ts';

/** API Gateway's limit for a body. */
const BODY_LIMIT = 10 * 1024 * 1024;
/** Lambda's limit for an event. */
const EVENT_LIMIT = 6 * 1024 * 1024;
/** Requests that a function is busy with at a time. */
const AT_A_TIME = 16;

type Gate = { readonly inTurn: ReturnType<typeof concurrencyLimit>; readonly throttles: Throttles };
type Answered = (contentType: string, body: Buffer) => Promise<void>;

/** What the HTTP API serves; `page` is where a person who opens its root is sent. */
export type ApiSide = {
  readonly routes: readonly Route[];
  readonly page: string | null;
  readonly invoke: (functionId: string, event: unknown) => Promise<Outcome>;
  /**
   * Sees every request before its function does; what it gives sees the answer before the caller does. What it fails with
   * changes no answer.
   */
  readonly witness?:
    | ((path: string, header: (name: string) => string | undefined, body: Buffer) => Answered | undefined)
    | undefined;
  readonly note?: (line: string) => void;
};

/** A server that does what the HTTP API of the template does. Until `side` gives something it answers 503. `now` in ms. */
export function httpApi(side: () => ApiSide | undefined, now: () => number = Date.now): Server {
  const gate = { inTurn: concurrencyLimit(AT_A_TIME), throttles: new Throttles(now) };
  return createServer((request, response) => {
    answer(request, side(), gate).then(
      (result) => send(response, result),
      (error: unknown) => refuse(response, error),
    );
  });
}

async function answer(
  request: IncomingMessage,
  side: ApiSide | undefined,
  { inTurn, throttles }: Gate,
): Promise<HttpResponse> {
  if (side === undefined) return gatewayMessage(503, 'Service Unavailable');
  const { method = 'GET', url: target = '/' } = request;
  const { path } = splitTarget(target);
  const match = matchRoute(side.routes, method, path);
  if (match === undefined && method === 'GET' && path === '/' && side.page !== null) {
    return { status: 302, headers: { location: side.page }, body: Buffer.alloc(0) };
  }
  if (match === undefined) {
    request.resume();
    return gatewayMessage(404, 'Not Found');
  }
  const { key, throttle } = match.route;
  if (throttle && !throttles.take(key, throttle)) {
    request.resume();
    return gatewayMessage(429, 'Too Many Requests');
  }
  return await call(request, target, match, side, inTurn);
}

async function call(
  request: IncomingMessage,
  target: string,
  match: Match,
  side: ApiSide,
  inTurn: Gate['inTurn'],
): Promise<HttpResponse> {
  const { method = 'GET', httpVersion, rawHeaders } = request;
  const body = await readBody(request, BODY_LIMIT);
  const remoteAddress = request.socket.remoteAddress ?? '127.0.0.1';
  const asked = { method, target, httpVersion, remoteAddress, rawHeaders, body };
  const event = httpEvent(asked, match, randomUUID(), Date.now());
  if ((event.body?.length ?? 0) > EVENT_LIMIT)
    throw new BodyTooLarge('The event is larger than a function takes');
  const { path } = splitTarget(target);
  const failed = (error: unknown): void =>
    side.note?.(`a simulator could not follow a request to ${path}: ${errorName(error)}`);
  const answered = witnessed(() => side.witness?.(path, (name) => event.headers[name], body), failed);
  const { functionId, timeoutMs } = match.route;
  const late = Promise.withResolvers<HttpResponse>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    late.resolve(gatewayMessage(503, 'Service Unavailable'));
  }, timeoutMs);
  const invoke = async () => toResponse(await side.invoke(functionId, event));
  try {
    // Nobody waits any more for what comes to its turn too late.
    const result = await Promise.race([
      inTurn(functionId, () => (isLate ? late.promise : invoke())),
      late.promise,
    ]);
    const type = String(result.headers['content-type'] ?? '');
    if (result.status === 200) await answered?.(type, result.body).catch(failed);
    return result;
  } finally {
    clearTimeout(timer);
  }
}

function witnessed(look: () => Answered | undefined, failed: (error: unknown) => void): Answered | undefined {
  try {
    return look();
  } catch (error) {
    failed(error);
    return undefined;
  }
}

function toResponse(outcome: Outcome): HttpResponse {
  if (outcome.kind === 'answer') return httpResponse(outcome.payload);
  return outcome.errorType === TIMED_OUT
    ? gatewayMessage(503, 'Service Unavailable')
    : gatewayMessage(500, 'Internal Server Error');
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  if (error instanceof BodyTooLarge) {
    response.setHeader('connection', 'close');
    send(response, gatewayMessage(413, 'Request Entity Too Large'));
  } else send(response, gatewayMessage(500, 'Internal Server Error'));
}

function send(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  if (response.destroyed) return;
  for (const [name, value] of Object.entries(headers)) {
    // A function may set a header that HTTP does not allow; the gateway drops it and answers all the same.
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
