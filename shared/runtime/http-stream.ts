import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** A request with streamed bodies in both directions. */
export type StreamRequest = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array> | undefined;
  /** Timeout for the whole exchange, body included, in ms. */
  readonly deadlineMs: number;
  /** Replaces the system's DNS lookup. */
  readonly lookup?: LookupFunction | undefined;
};

/** A response. Redirects are not followed. `content` must be read or destroyed. */
export type StreamResponse = {
  readonly status: number;
  /** The content length, if the server sends it. */
  readonly bytes: number | undefined;
  readonly content: IncomingMessage;
};

/** Sends a request over a new connection. Rejects when the connection breaks or the request times out. */
export async function streamHttp(streamRequest: StreamRequest): Promise<StreamResponse> {
  const { url, method, headers = {}, body, deadlineMs, lookup } = streamRequest;
  const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
  const signal = AbortSignal.timeout(deadlineMs);
  const request = send(url, { method, headers, signal, agent: false, lookup });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
    // A body that breaks off closes the request without an error.
    request.once('close', () => reject(new Error('the connection was closed without an answer')));
  });
  const bodySent = body ? pipeline(body, request) : Promise.resolve(void request.end());
  // A server that rejects the body may respond and close the connection before all of it was sent: its response
  // counts.
  bodySent.catch(() => undefined);
  const content = await response;
  if (content.statusCode !== undefined && content.statusCode < 300) await bodySent;
  const length = Number(content.headers['content-length']);
  return {
    status: content.statusCode ?? 0,
    bytes: content.headers['content-length'] !== undefined && Number.isInteger(length) ? length : undefined,
    content,
  };
}
