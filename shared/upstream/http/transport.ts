import { Agent, type Dispatcher } from 'undici';
import {
  BadRequestError,
  ConnectionError,
  MalformedAnswerError,
  StreamCutError,
  TooLargeError,
  UpstreamError,
} from '../errors.ts';
import { type Headers, getHeader, getRequestId } from './headers.ts';
import { isObject, asNonEmptyString } from './json.ts';
import type { AttemptTimeouts } from './attempt-timeouts.ts';
import { pauseSocket } from './paused-socket.ts';

export type ResponseBody = Dispatcher.ResponseData['body'];

export type HttpResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ResponseBody;
  /** See `pauseSocket`. */
  readonly pause: () => (() => void) | undefined;
};

/**
 * Creates a connection pool. undici's own timeouts for headers and body are off: they are coarse, and each attempt has
 * its own timeouts. Idle connections are kept for 10 s, less than the usual idle timeout of a NAT gateway. `canPause`: for `pauseSocket`.
 */
export function createAgent(connectMs: number, canPause: boolean): Dispatcher {
  return new Agent({
    connections: 64,
    connect: { timeout: connectMs, ...(canPause && { highWaterMark: 1 }) },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: 64 * 1024,
  });
}

export type HttpRequest = {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
};

/**
 * Sends one request and waits for the response headers. Redirects are not followed, because they would send the key to
 * another host. Compression is refused. Rejects with the signal's reason, or a ConnectionError.
 */
export async function send(
  agent: Dispatcher,
  { method, url, headers, body }: HttpRequest,
  timeouts: AttemptTimeouts,
): Promise<HttpResponse> {
  try {
    const response = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      // Without this header, a server may compress its response (RFC 9110, 12.5.3).
      headers: { 'accept-encoding': 'identity', ...headers },
      body: body ?? null,
      signal: timeouts.signal,
    });
    // Destroying an unread body emits an error; without a listener it would end the process.
    response.body.on('error', () => undefined);
    const pause = () => (body instanceof Uint8Array ? pauseSocket(body) : undefined);
    return { status: response.statusCode, headers: response.headers, body: response.body, pause };
  } catch (error) {
    throw toRequestError(error, timeouts.signal);
  }
}

/** Throws MalformedAnswerError, and ends the response, if it is compressed. */
export function requireUncompressed({ body, headers }: HttpResponse): void {
  const encoding = getHeader(headers, 'content-encoding')?.toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity') return;
  body.destroy();
  throw new MalformedAnswerError('The upstream compressed a response without being asked to.', {
    code: 'compressed',
    requestId: getRequestId(headers),
  });
}

/** Reads the whole body as text. Rejects with TooLargeError beyond `maxBytes`, with StreamCutError if it is cut. */
export async function readText(
  response: HttpResponse,
  maxBytes: number,
  timeouts: AttemptTimeouts,
): Promise<string> {
  requireUncompressed(response);
  const { body, headers } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  body.on('data', (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= maxBytes) return;
    reject(
      new TooLargeError(`The upstream's answer is larger than ${maxBytes} bytes.`, {
        code: 'answer_too_large',
      }),
    );
    body.destroy();
  });
  body.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
  body.on('error', (error: unknown) => reject(toBodyError(error, timeouts.signal, getRequestId(headers))));
  return promise;
}

/** Returns the error for a body that ended early. */
export function toBodyError(error: unknown, signal: AbortSignal, requestId: string | undefined): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof UpstreamError) return error;
  return new StreamCutError('The connection closed in the middle of the answer.', {
    code: getErrorCode(error) ?? 'reset',
    requestId,
    cause: error,
  });
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ERR_TLS|ERR_SSL/u;

function toRequestError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const code = getErrorCode(error);
  if (code === 'UND_ERR_INVALID_ARG') {
    return new BadRequestError('The request is invalid.', { code, cause: error });
  }
  if (code !== undefined && (code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW')) {
    return new MalformedAnswerError('The upstream sent no valid HTTP response.', { code, cause: error });
  }
  if (code !== undefined && CERTIFICATE.test(code)) {
    return new ConnectionError(`The upstream's certificate is not valid (${code}).`, {
      code: 'certificate',
      cause: error,
    });
  }
  return new ConnectionError(`The upstream cannot be reached (${code ?? 'unknown reason'}).`, {
    code,
    cause: error,
  });
}

/** Node puts the reason of a failed connection into `code`; with several addresses, into the first error's `code`. */
function getErrorCode(error: unknown): string | undefined {
  if (!isObject(error)) return undefined;
  if (error instanceof AggregateError && asNonEmptyString(error['code']) === undefined)
    return getErrorCode(error.errors[0]);
  return asNonEmptyString(error['code']);
}
