import type { CallOptions } from '../config.ts';
import {
  runAttempts,
  type Attempt,
  type Client,
  type Credential,
  type Service,
  createCredentialHeaders,
  sendAttempt,
} from './client.ts';
import { getRequestId } from './headers.ts';
import { createStreamError } from './create-error.ts';
import { isObject, type JsonObject, parseJson } from './json.ts';
import { readText } from './transport.ts';

export type JsonRequest = {
  readonly service: Service;
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly credential: Credential;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `content-type` is JSON unless the headers set it. */
  readonly body?: string | Uint8Array | undefined;
  /** For one attempt. */
  readonly timeoutMs: number;
  /** Maximum size of the response. */
  readonly maxBytes: number;
  /** Whether to retry after the response was cut. False where a repeated request costs money. */
  readonly repeatable: boolean;
  /** Whether a response with a status of success is an error. Some servers send those. */
  readonly isError?: ((value: JsonObject) => boolean) | undefined;
  /** Awaited before each HTTP request, after the caller's `beforeAttempt`. */
  readonly beforeSend?: ((attempt: Attempt) => Promise<void>) | undefined;
};

export type JsonResponse = {
  readonly status: number;
  /** Undefined when the body is not JSON. */
  readonly value: unknown;
  readonly requestId: string | undefined;
};

/** Sends one request without streaming, with the retries of `retry.ts`. */
export async function requestJson(
  client: Client,
  request: JsonRequest,
  options: CallOptions,
): Promise<JsonResponse> {
  const { service, repeatable } = request;
  return runAttempts(client, { ...options, service, repeatable }, [''], async (attempt) => {
    const { timeouts, key } = attempt;
    await request.beforeSend?.(attempt);
    timeouts.start('total', request.timeoutMs);
    const headers = {
      accept: 'application/json',
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
      ...createCredentialHeaders(key, request.credential),
    };
    const { method, url, body } = request;
    const response = await sendAttempt(client, attempt, { method, url, headers, body }, options);
    const text = await readText(response, request.maxBytes, timeouts);
    timeouts.end();
    const value = parseJson(text);
    const requestId = getRequestId(response.headers);
    if (isObject(value) && request.isError?.(value)) throw createStreamError(value, key, requestId);
    return { status: response.status, value, requestId };
  });
}
