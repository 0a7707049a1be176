import type { CallOptions } from '../config.ts';
import { attempts, type Attempt, type Client, type Credential, credentials, exchange } from './client.ts';
import { requestIdOf } from './headers.ts';
import { parseJson } from './json.ts';
import { readText } from './transport.ts';

export type JsonCall = {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly credential: Credential;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as it is; `content-type` is JSON unless the headers say otherwise. */
  readonly body?: string | Uint8Array | undefined;
  /** The time for one attempt, in ms. */
  readonly timeoutMs: number;
  /** Of the answer. */
  readonly maxBytes: number;
  /** Whether an answer that breaks off may be asked for again: not when that costs money. */
  readonly repeatable: boolean;
  /** Awaited before each request, after the caller's `beforeAttempt`. */
  readonly beforeSend?: ((attempt: Attempt) => Promise<void>) | undefined;
};

export type JsonAnswer = {
  readonly status: number;
  /** Undefined when the body is not JSON. */
  readonly value: unknown;
  readonly requestId: string | undefined;
};

/** One call that is answered in one piece, with the retries of the policy. */
export async function callJson(client: Client, call: JsonCall, options: CallOptions): Promise<JsonAnswer> {
  return attempts(client, { ...options, repeatable: call.repeatable }, [''], async (attempt) => {
    const { watch, key } = attempt;
    await call.beforeSend?.(attempt);
    watch.limit('total', call.timeoutMs);
    const headers = {
      accept: 'application/json',
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
      ...credentials(key, call.credential),
    };
    const { method, url, body } = call;
    const answer = await exchange(client, attempt, { method, url, headers, body }, options);
    const text = await readText(answer, call.maxBytes, watch);
    watch.end();
    return { status: answer.status, value: parseJson(text), requestId: requestIdOf(answer.headers) };
  });
}
