import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import { readBody } from '../body.ts';
import { LOAD_ERROR_TYPE, THROTTLE_ERROR_TYPE } from '../functions/functions.ts';
import type { InvocationOutcome } from '../functions/thread.ts';
import { createHttpEvent } from './http-event.ts';

/** Lambda's limit of the body of a request to a function URL. */
const MAX_BODY_BYTES = 6 * 1024 * 1024;
/** Between the head and the body of a streamed response. */
const SEPARATOR = Buffer.alloc(8);

type ErrorResponse = readonly [status: number, message: string];
const FAILED: ErrorResponse = [502, 'Internal Server Error'];
/** By error type. Lambda sends 502 for a function that cannot be loaded too; here it is started again soon, so that programs send their request again. */
const ERRORS: ReadonlyMap<string, ErrorResponse> = new Map([
  [THROTTLE_ERROR_TYPE, [429, 'Rate Exceeded.']],
  [LOAD_ERROR_TYPE, [503, 'Service Unavailable']],
]);

const headSchema = v.object({
  statusCode: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
  headers: v.optional(v.record(v.string(), v.string()), {}),
});

type Invoke = (
  functionId: string,
  event: unknown,
  onPart: (bytes: Uint8Array) => void,
) => Promise<InvocationOutcome>;

/**
 * Emulates a function URL whose function streams its response: sends each part as it comes. Like Lambda, it goes on with the invocation when the client has
 * gone. Rejects with BodyTooLargeError.
 */
export async function serveFunctionUrl(
  request: IncomingMessage,
  response: ServerResponse,
  functionId: string,
  invoke: Invoke,
): Promise<void> {
  const { method = 'GET', url: target = '/', httpVersion, rawHeaders } = request;
  const body = await readBody(request, MAX_BODY_BYTES);
  const remoteAddress = request.socket.remoteAddress ?? '127.0.0.1';
  const route = { key: '$default', functionId, timeoutMs: Infinity };
  const event = createHttpEvent(
    { method, target, httpVersion, remoteAddress, rawHeaders, body },
    { route, pathParameters: {} },
    randomUUID(),
    Date.now(),
  );
  const writer = new ResponseWriter(response);
  const outcome = await invoke(functionId, event, (bytes) => writer.add(bytes));
  if (outcome.kind === 'answer' && writer.hasHead) response.end();
  // The response broke off.
  else if (writer.hasHead) response.destroy();
  else {
    const [status, message] =
      (outcome.kind === 'failed' ? ERRORS.get(outcome.errorType) : undefined) ?? FAILED;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ Message: message }));
  }
}

/** Collects the head of a response, then passes its body on. */
class ResponseWriter {
  readonly #response: ServerResponse;
  #waiting = Buffer.alloc(0);
  hasHead = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  add(bytes: Uint8Array): void {
    if (this.#response.destroyed) return;
    if (this.hasHead) {
      this.#response.write(bytes);
      return;
    }
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    const end = this.#waiting.indexOf(SEPARATOR);
    if (end < 0) return;
    const head = v.safeParse(headSchema, JSON.parse(this.#waiting.subarray(0, end).toString()));
    if (!head.success) return;
    this.hasHead = true;
    this.#response.writeHead(head.output.statusCode, head.output.headers);
    this.#response.flushHeaders();
    const rest = this.#waiting.subarray(end + SEPARATOR.length);
    if (rest.length > 0) this.#response.write(rest);
  }
}
