import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Body, readBody } from './body.ts';
import { sendFile } from '../send-file.ts';
import { fileAt } from './cdn.ts';
import type { Recorder } from '../recorder.ts';
import type { Fault, Faults } from './faults.ts';
import type { Limits } from './limits.ts';
import { RefusalError, refuseFaults, ServerFailureError } from './refusal.ts';
import type { Answer } from './route.ts';
import { type Found, routeFor } from './routes/index.ts';
import type { Specification } from './spec.ts';
import type { SimulatorContext } from './context.ts';

/** One REST request as it arrived, without its token. */
export type SeenCall = {
  /** The name in the coverage table; `GET /attachments` for the download of a file. */
  readonly route: string;
  readonly path: string;
  readonly json: unknown;
  /** Names of the attached files. */
  readonly files: readonly string[];
  readonly userAgent: string;
  /** ms since 1970, by the simulator's clock. */
  readonly at: number;
  /** HTTP status, or the effect of a fault. */
  readonly outcome: number | Fault['kind'];
  /** Discord's error code, if it refused. */
  readonly code?: number;
};

export type Api = {
  readonly context: SimulatorContext;
  readonly faults: Faults;
  readonly limits: Limits;
  readonly after: (ms: number, action: () => void) => () => void;
  /** Discord's own specification, where it is available. */
  readonly specification: Specification | undefined;
  /** Refuses clients without the user agent `DiscordBot (url, version)`, as Discord may (40333). */
  readonly insistOnUserAgent: boolean;
  readonly onCall: (call: SeenCall) => void;
  readonly record?: Recorder | undefined;
  /** The number of invalid requests of the last ten minutes; too many cause a ban. See `isInvalid`. */
  readonly invalid: { count(): number; add(): void };
};

const INVALID_MOST = 10_000;
export const FILES = 'GET /attachments';

/** Handles `/api/...`: with a version, without, or with two, if a client adds its own to a URL with one. */
export async function serveCall(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const path = url.pathname.replace(/^\/api(?=\/)/, '').replace(/^(?:\/v\d+)+(?=\/)/, '');
  const method = request.method ?? 'GET';
  const route = routeFor(method, path);
  const tell = teller(api, request, response, {
    route: route?.name ?? `${method} ${path}`,
    path,
    query: url.searchParams,
  });
  if (api.invalid.count() >= INVALID_MOST) return tell('cloudflare', banned(response));
  const fault = route && api.faults.hit(route.name);
  const body = await readBody(request).catch((error: unknown) => error);
  if (fault && stopsBefore(fault, response, { route, limits: api.limits })) return tell(fault.kind, body);
  if (fault?.kind === 'delay') await new Promise<void>((resolve) => void api.after(fault.ms, resolve));
  if (!route) {
    sendJson(response, 404, { message: '404: Not Found', code: 0 });
    return tell(404, body);
  }
  const limited = api.limits.take(route);
  if (limited.wait) {
    const words = { message: 'You are being rate limited.', retry_after: limited.wait.seconds };
    sendJson(response, 429, { ...words, global: limited.wait.global }, limited.headers);
    return tell(429, body);
  }
  const answer = await run(api, request, route, url.searchParams, body);
  if (fault?.kind === 'lose-reply') response.destroy();
  else sendJson(response, answer.status, answer.body, { ...limited.headers, ...answer.headers });
  tell(fault?.kind === 'lose-reply' ? fault.kind : answer.status, body, answer);
}

const codeOf = ({ status, body }: Answer): number | undefined => {
  if (status < 400 || typeof body !== 'object' || body === null || !('code' in body)) return undefined;
  return typeof body.code === 'number' ? body.code : undefined;
};

type Asked = { readonly route: string; readonly path: string; readonly query: URLSearchParams };

const INVALID_STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

/**
 * Whether a response counts towards the ban for invalid requests, whatever caused it. A limit that a resource shares with others
 * does not count. See docs:topics/rate-limits#invalid-request-limit-aka-cloudflare-bans.
 */
const isInvalid = (response: ServerResponse, answer: Answer | undefined): boolean =>
  INVALID_STATUSES.has(answer?.status ?? response.statusCode) &&
  response.getHeader('x-ratelimit-scope') !== 'shared';

function teller(
  { onCall, record, invalid, context }: Api,
  request: IncomingMessage,
  response: ServerResponse,
  { route, path, query }: Asked,
) {
  return (outcome: SeenCall['outcome'], body: unknown, answer?: Answer): void => {
    const parsedBody = isBody(body) ? body : undefined;
    const userAgent = request.headers['user-agent'] ?? '';
    // Interaction tokens are part of paths, and must not be shown on the page.
    const maskedPath = path.replace(/(\/(?:webhooks|interactions)\/\d+\/)[^/]+/, '$1token');
    const files = parsedBody?.uploads.map(({ filename }) => filename) ?? [];
    if (isInvalid(response, answer)) invalid.add();
    const code = answer && codeOf(answer);
    const errorCode = code === undefined ? {} : { code };
    record?.({
      platform: 'discord',
      kind: 'call',
      operation: route,
      query: Object.fromEntries(query),
      request: parsedBody?.payload,
      files,
      ...(answer ? { status: answer.status, response: answer.body } : {}),
    });
    onCall({
      route,
      path: maskedPath,
      json: parsedBody?.payload,
      files,
      userAgent,
      at: context.now(),
      outcome,
      ...errorCode,
    });
  };
}

const isBody = (body: unknown): body is Body =>
  typeof body === 'object' && body !== null && 'uploads' in body;

async function run(
  api: Api,
  request: IncomingMessage,
  route: Found,
  query: URLSearchParams,
  body: unknown,
): Promise<Answer> {
  const { context, specification } = api;
  try {
    if (api.insistOnUserAgent && !/^DiscordBot \(\S+, \S+\)/.test(request.headers['user-agent'] ?? ''))
      throw new RefusalError(40333);
    if (route.route.auth === 'bot' && request.headers.authorization !== `Bot ${context.identity.botToken}`)
      throw new RefusalError(0);
    if (!isBody(body)) throw body;
    const specified = body.payload === undefined ? undefined : specification;
    refuseFaults(specified?.request(route.name, body) ?? []);
    const call = { context, at: (name: string) => route.parts[name] ?? '', query, body };
    await route.route.prepare?.(call);
    const answer = route.route.run(call);
    if (answer.body !== undefined) specification?.holdResponse(route.name, answer.status, answer.body);
    return answer;
  } catch (error) {
    if (error instanceof RefusalError)
      return { status: error.status, body: error.body(), headers: error.headers() };
    if (error instanceof ServerFailureError)
      return { status: 500, body: { message: '500: Internal Server Error', code: 0 } };
    throw error;
  }
}

/** True if the fault responds itself and the request takes no effect. */
function stopsBefore(
  fault: Fault,
  response: ServerResponse,
  call?: { readonly route: Found; readonly limits: Limits },
): boolean {
  switch (fault.kind) {
    case 'refuse': {
      const refusal = new RefusalError(fault.code);
      sendJson(response, refusal.status, refusal.body(), refusal.headers());
      return true;
    }
    case 'busy': {
      const { retryAfter, scope = 'user' } = fault;
      const global = scope === 'global';
      sendJson(
        response,
        429,
        {
          message: scope === 'shared' ? 'The resource is being rate limited.' : 'You are being rate limited.',
          retry_after: retryAfter,
          global,
        },
        call?.limits.refuse(call.route, retryAfter, scope),
      );
      return true;
    }
    case 'cloudflare':
      banned(response, fault.retryAfter);
      return true;
    case 'status':
      response.writeHead(fault.status, { 'content-type': 'text/html' });
      response.end('<html><body>Server trouble</body></html>');
      return true;
    case 'redirect':
      response.writeHead(302, { location: fault.to }).end();
      return true;
    case 'cut':
      response.destroy();
      return true;
    case 'lose-reply':
    case 'delay':
  }
  return false;
}

/** Cloudflare's refusal: HTML, without Discord's headers. */
function banned(response: ServerResponse, retryAfter?: number): undefined {
  const wait = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  response.writeHead(429, { 'content-type': 'text/html; charset=UTF-8', server: 'cloudflare', ...wait });
  response.end(
    '<!DOCTYPE html><html><head><title>Access denied</title></head><body>error code: 1015</body></html>',
  );
}

/** Serves the URL of a file: without a token, but with a signature and an expiry. */
export function serveFile(api: Api, request: IncomingMessage, response: ServerResponse, url: URL): void {
  const fault = api.faults.hit(FILES);
  const tell = teller(api, request, response, {
    route: FILES,
    path: url.pathname,
    query: new URLSearchParams(),
  });
  if (fault && fault.kind !== 'refuse' && stopsBefore(fault, response)) return tell(fault.kind, undefined);
  const file = fault?.kind === 'refuse' ? undefined : fileAt(api.context, url);
  if (!file) {
    response.writeHead(404, { 'content-type': 'text/plain' });
    response.end('This content is no longer available.');
    return tell(404, undefined);
  }
  const { id, filename, contentType } = file.file;
  sendFile(
    request,
    response,
    { id, content: file.content },
    {
      'content-type': contentType,
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`,
    },
  );
  tell(response.statusCode, undefined);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.setHeaders(new Map(Object.entries(headers)));
  if (body === undefined) return void response.writeHead(status).end();
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
