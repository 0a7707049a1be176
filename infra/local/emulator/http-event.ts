import * as v from 'valibot';
import type { RouteMatch } from './routes.ts';
import { ACCOUNT } from '../template/resource-names.ts';

/** An incoming request; `target` is the unparsed path and query. */
export type HttpRequest = {
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string;
  readonly remoteAddress: string;
  /** Alternating names and values, like `IncomingMessage.rawHeaders`. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
};

/** The response to the client. */
export type HttpResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
};

/**
 * Content types whose body API Gateway passes as text; all others, also forms and a missing type, are base64. Measured on AWS
 * (HTTP API, payload 2.0): ministackorg/ministack#766.
 */
const TEXT_CONTENT_TYPE = /^(text\/[^;]+|application\/(json|xml|javascript))\s*(;|$)/i;

/** Splits a request target into path and query, both still percent-encoded. */
export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?');
  return mark === -1
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** Creates the event of an HTTP API in payload format 2.0. `now` is in ms since 1970. */
export function createHttpEvent(
  request: HttpRequest,
  { route, pathParameters }: RouteMatch,
  requestId: string,
  now: number,
) {
  const { path, query } = splitTarget(request.target);
  const headers = toHeaders(request.rawHeaders);
  const cookies = headers['cookie']?.split(/;\s*/);
  delete headers['cookie'];
  const isBase64Encoded = request.body.length > 0 && !TEXT_CONTENT_TYPE.test(headers['content-type'] ?? '');
  const parameters = parseQuery(query);
  return {
    version: '2.0',
    routeKey: route.key,
    rawPath: path,
    rawQueryString: query,
    ...(cookies && { cookies }),
    headers,
    ...(Object.keys(parameters).length > 0 && { queryStringParameters: parameters }),
    requestContext: {
      accountId: ACCOUNT,
      apiId: 'local',
      domainName: headers['host'] ?? 'localhost',
      domainPrefix: 'local',
      http: {
        method: request.method,
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.remoteAddress,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey: route.key,
      stage: '$default',
      time: new Date(now).toISOString(),
      timeEpoch: now,
    },
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    ...(request.body.length > 0 && { body: request.body.toString(isBase64Encoded ? 'base64' : 'utf8') }),
    isBase64Encoded,
  };
}

const Answer = v.object({
  statusCode: v.pipe(v.unknown(), v.transform(Number), v.number(), v.minValue(100), v.maxValue(599)),
  headers: v.nullish(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()]))),
  cookies: v.nullish(v.array(v.string())),
  body: v.nullish(v.string()),
  isBase64Encoded: v.nullish(v.boolean()),
});

/**
 * Converts a function's result like API Gateway. A result without `statusCode` is a JSON body with 200 ("format 2.0 can infer
 * the response format"); an invalid result is a 500.
 */
export function toHttpResponse(payload: string): HttpResponse {
  const answer: unknown = JSON.parse(payload);
  if (typeof answer !== 'object' || answer === null || !('statusCode' in answer)) {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(payload) };
  }
  const read = v.safeParse(Answer, answer);
  if (!read.success) return createGatewayResponse(500, 'Internal Server Error');
  const { statusCode, headers, cookies, body, isBase64Encoded } = read.output;
  const named = Object.entries(headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  );
  const typed = { 'content-type': 'text/plain;charset=UTF-8', ...Object.fromEntries(named) };
  return {
    status: statusCode,
    headers: { ...typed, ...(cookies?.length && { 'set-cookie': cookies }) },
    body: Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

/** Creates a response of the gateway itself. */
export function createGatewayResponse(status: number, message: string): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ message })),
  };
}

/** Names in lower case, repeated headers joined by commas (cookies by semicolons). */
function toHeaders(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    const value = raw[index + 1] ?? '';
    const earlier = headers[name];
    headers[name] = earlier === undefined ? value : `${earlier}${name === 'cookie' ? '; ' : ','}${value}`;
  }
  return headers;
}

function parseQuery(query: string): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const earlier = parameters[name];
    parameters[name] = earlier === undefined ? value : `${earlier},${value}`;
  }
  return parameters;
}
