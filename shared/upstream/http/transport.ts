import type { Dispatcher } from 'undici';
import requestOn from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import {
  BadRequestError,
  ConnectionError,
  MalformedAnswerError,
  StreamCutError,
  TooLargeError,
  UpstreamError,
} from '../errors.ts';
import { type Headers, headerOf, requestIdOf } from './headers.ts';
import { isObject, stringOf } from './json.ts';
import type { Watch } from './watch.ts';

export type Body = Dispatcher.ResponseData['body'];

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
};

/**
 * A pool of connections. undici's own limits on headers and body are off: they are coarse, and the watch of each
 * attempt has its own. Idle connections are kept for 10 s, less than what network address translation forgets.
 */
export function createAgent(connectMs: number): Dispatcher {
  return new Agent({
    connections: 64,
    connect: { timeout: connectMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: 64 * 1024,
  });
}

export type Outgoing = {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
};

/**
 * Sends one request and waits for the headers of its answer. Redirects are not followed: they would carry the key to
 * who knows where. Compression is not asked for. Rejects with the watch's reason, or a ConnectionError.
 */
export async function send(
  agent: Dispatcher,
  { method, url, headers, body }: Outgoing,
  watch: Watch,
): Promise<Answer> {
  try {
    const answer = await requestOn.call(agent, {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { ...headers },
      body: body ?? null,
      signal: watch.signal,
    });
    // A body that is destroyed unread emits an error that nobody else may hear.
    answer.body.on('error', () => undefined);
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  } catch (error) {
    throw failureOf(error, watch.signal);
  }
}

/** The whole body as text. Rejects with TooLargeError beyond `maxBytes`, and with StreamCutError if it breaks off. */
export async function readText(answer: Answer, maxBytes: number, watch: Watch): Promise<string> {
  const { body, headers } = answer;
  const encoding = headerOf(headers, 'content-encoding');
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    body.destroy();
    throw new MalformedAnswerError('The upstream compressed an answer unasked.', { code: 'compressed' });
  }
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
  body.on('error', (error: unknown) => reject(brokenOff(error, watch.signal, requestIdOf(headers))));
  return promise;
}

/** The error for a body that did not come to its end. */
export function brokenOff(error: unknown, signal: AbortSignal, requestId: string | undefined): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof UpstreamError) return error;
  return new StreamCutError('The connection broke in the middle of the answer.', {
    code: codeOf(error) ?? 'reset',
    requestId,
    cause: error,
  });
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ERR_TLS|ERR_SSL/u;

function failureOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const code = codeOf(error);
  if (code === 'UND_ERR_INVALID_ARG') {
    return new BadRequestError('The request could not be formed.', { code, cause: error });
  }
  if (code !== undefined && (code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW')) {
    return new MalformedAnswerError('The upstream does not speak HTTP.', { code, cause: error });
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

/** Node puts the reason of a failed connection into `code`; with several addresses, into that of the first. */
function codeOf(error: unknown): string | undefined {
  if (!isObject(error)) return undefined;
  if (error instanceof AggregateError && stringOf(error['code']) === undefined)
    return codeOf(error.errors[0]);
  return stringOf(error['code']);
}
