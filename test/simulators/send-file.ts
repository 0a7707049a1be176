import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** A file whose content never changes under its id. */
export type StoredFile = { readonly id: string; readonly content: Buffer };

/**
 * Answers GET or HEAD with a file, or with the one part of it that `Range` asks for, as RFC 9110 (sections 13.1.5 and 14)
 * describes it: players then read a recording piece by piece, and hold a connection only while they do. Several parts
 * at once, and ranges that are none, are answered with everything. `headers` go along with every answer.
 */
export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { id, content }: StoredFile,
  headers: OutgoingHttpHeaders,
): void {
  const etag = `"${id}"`;
  const common = { ...headers, etag, 'accept-ranges': 'bytes' };
  const part = isForThis(request, etag) ? partOf(request.headers.range, content.length) : undefined;
  if (part === 'outside') {
    response.writeHead(416, { ...common, 'content-range': `bytes */${content.length}`, 'content-length': 0 });
    return void response.end();
  }
  const sent = part ? content.subarray(part.start, part.end + 1) : content;
  const range = part && { 'content-range': `bytes ${part.start}-${part.end}/${content.length}` };
  response.writeHead(part ? 206 : 200, { ...common, ...range, 'content-length': sent.length });
  response.end(request.method === 'HEAD' ? undefined : sent);
}

/** Whether `Range` counts: with GET only, and with `If-Range` only if it names this file. */
function isForThis({ method, headers }: IncomingMessage, etag: string): boolean {
  const condition = headers['if-range'];
  return method === 'GET' && (condition === undefined || condition === etag);
}

const RANGE = /^bytes=(?:(?<first>\d+)-(?<last>\d*)|-(?<suffix>\d+))$/u;

/**
 * The part that a `Range` asks for, both ends included; undefined if it asks for no single part. The parser that express
 * uses (range-parser 1.3.0) refuses a suffix longer than the file and `3-1`, which the RFC does not.
 */
function partOf(
  range: string | undefined,
  size: number,
): { readonly start: number; readonly end: number } | 'outside' | undefined {
  const { first, last, suffix } = RANGE.exec(range ?? '')?.groups ?? {};
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? 'outside' : { start: size - length, end: size - 1 };
  }
  if (first === undefined) return undefined;
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'outside' : { start, end };
}

const decoded = new WeakMap<object, Buffer>();

/** The bytes of a base64 file; decoded once, since a player requests many parts of a long recording. */
export function bytesOf(stored: { readonly content: string }): Buffer {
  const cachedBuffer = decoded.get(stored);
  if (cachedBuffer) return cachedBuffer;
  const bytes = Buffer.from(stored.content, 'base64');
  decoded.set(stored, bytes);
  return bytes;
}
