import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** A request whose body, and whose answer's body, are never held whole. */
export type StreamRequest = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array> | undefined;
  /** For the whole exchange, the body included, in ms. */
  readonly deadlineMs: number;
  /** How the address of the host is found, where not by the system alone. */
  readonly lookup?: LookupFunction | undefined;
};

/** An answer. Redirects are answers too: none is followed. `content` has to be read or destroyed. */
export type StreamAnswer = {
  readonly status: number;
  /** As the other side says; undefined where it does not. */
  readonly bytes: number | undefined;
  readonly content: IncomingMessage;
};

/** Sends a request over a connection of its own. Rejects when it breaks, or takes too long. */
export async function streamHttp(asked: StreamRequest): Promise<StreamAnswer> {
  const { url, method, headers = {}, body, deadlineMs, lookup } = asked;
  const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
  const signal = AbortSignal.timeout(deadlineMs);
  const request = send(url, { method, headers, signal, agent: false, lookup });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
    // A body that breaks off ends the request without an error of its own.
    request.once('close', () => reject(new Error('the connection was closed without an answer')));
  });
  const sent = body ? pipeline(body, request) : Promise.resolve(void request.end());
  // Who refuses a body may answer and hang up before all of it was sent: the answer counts.
  sent.catch(() => undefined);
  const content = await answered;
  if (content.statusCode !== undefined && content.statusCode < 300) await sent;
  const length = Number(content.headers['content-length']);
  return {
    status: content.statusCode ?? 0,
    bytes: content.headers['content-length'] !== undefined && Number.isInteger(length) ? length : undefined,
    content,
  };
}
