import { parseJson } from '../utils/index.ts';
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { AwsAccess, AwsService } from '../runtime/index.ts';
import { signHeaders } from './sigv4.ts';

/** One operation of an AWS service with a JSON API over POST. */
export type AwsOperation = {
  readonly service: AwsService;
  /** The value of `X-Amz-Target`, such as `AmazonSQS.SendMessage`. */
  readonly target: string;
  /** For services that name the operation by its path instead. */
  readonly path?: string;
  readonly input: string;
  /** Sent at most once, because a second time would have a second effect. */
  readonly isSentOnce?: boolean;
  /** Aborts the operation. Replaces the default timeout. */
  readonly signal?: AbortSignal;
  /** The maximum response size. The default fits DynamoDB queries. */
  readonly maxResponseBytes?: number;
};

/**
 * Sends an operation and resolves with the response, not yet validated. Rejects with AwsError. Retries once
 * after a broken connection, a 5xx or throttling: the operation may then happen twice, so callers must be
 * idempotent.
 */
export type AwsCall = (operation: AwsOperation) => Promise<unknown>;

/**
 * The service rejected the operation (4xx, with its error code), failed (5xx), or did not respond (status 0).
 * Contains no data of the request.
 */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly target: string;
  readonly status: number;
  readonly code: string;
  /** Whether the operation may have succeeded: an attempt broke off, or the service did not say. */
  readonly mayHaveSucceeded: boolean;
  constructor(target: string, status: number, code: string, earlierError?: AwsError) {
    super(`${target}: ${code}${status > 0 ? ` (${status})` : ''}`);
    this.target = target;
    this.status = status;
    this.code = code;
    const isUnknown = status >= 500 || (status === 0 && code !== NOT_SENT && code !== 'ECONNREFUSED');
    this.mayHaveSucceeded = isUnknown || earlierError?.mayHaveSucceeded === true;
  }
}

export type AwsCallOptions = {
  /**
   * Timeout for both attempts together, in ms, if the operation has no signal. Default 900: Lambda stops a
   * front after 5 s.
   */
  readonly deadlineMs?: number;
  /** Default: `MAX_CONNECTIONS`. More for operations that hold a connection for seconds. */
  readonly maxConnections?: number;
};

const NOT_SENT = 'NotSent';

/**
 * How many connections a process opens to one host; further requests wait for one of them, for some milliseconds. Sixteen questions
 * that arrive together would open thirty to DynamoDB, each for 3 to 5 ms of processor time and 50 to 100 KB.
 */
export const MAX_CONNECTIONS = 8;

type RawResponse = { readonly status: number; readonly body: string };
type RequestTarget = { readonly url: URL; readonly access: AwsAccess };

/** A DynamoDB query returns at most 1 MB. */
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;

/** The version of the service's JSON protocol. */
const jsonVersion = (service: AwsService): string => (/^(?:dynamodb|sqs)$/u.test(service) ? '1.0' : '1.1');
/** Throttling under any of its names, or a broken connection. */
export const RETRYABLE =
  /^(?:Throttling|ProvisionedThroughputExceeded)Exception$|^Request(?:LimitExceed|Throttl)ed$|^E(?:CONN(?:RESET|REFUSED|ABORTED)|PIPE)$/u;

/**
 * Creates the function that sends signed requests over kept-alive connections. It has a hundredth of the AWS
 * SDK's code, which matters for cold starts.
 */
export function createAwsCall(
  access: AwsAccess,
  { deadlineMs = 900, maxConnections = MAX_CONNECTIONS }: AwsCallOptions = {},
): AwsCall {
  const [plain, secure] = [HttpAgent, HttpsAgent].map(
    (Agent) => new Agent({ keepAlive: true, maxSockets: maxConnections }),
  );
  return async (operation) => {
    const { path = '', service } = operation;
    const url = new URL(path, access.endpoints[service] ?? getDefaultEndpoint(service, access.region));
    const target = { url, access };
    const signal = operation.signal ?? AbortSignal.timeout(deadlineMs);
    try {
      return await attemptRequest(operation, target, signal, url.protocol === 'http:' ? plain : secure);
    } catch (error) {
      if (signal.aborted || operation.isSentOnce || !isRetryable(error)) throw error;
      // A new connection: the kept-alive ones may all be dead after Lambda froze the process.
      return await attemptRequest(operation, target, signal, undefined, error);
    }
  };
}

/** Adds a signal to every operation. An operation that starts after the abort is not sent: NotSent. */
export function withSignal(aws: AwsCall, signal: AbortSignal): AwsCall {
  return async (operation) => {
    if (signal.aborted) throw new AwsError(operation.target, 0, NOT_SENT);
    return aws({ ...operation, signal });
  };
}

const isRetryable = (error: unknown): error is AwsError =>
  error instanceof AwsError && (error.status >= 500 || RETRYABLE.test(error.code));

/** Returns the public endpoint of a service in a region. */
export function getDefaultEndpoint(service: AwsService, region: string): string {
  return `https://${service}.${region}.amazonaws.com`;
}

async function attemptRequest(
  operation: AwsOperation,
  target: RequestTarget,
  signal: AbortSignal,
  agent: HttpAgent | undefined,
  earlierError?: AwsError,
): Promise<unknown> {
  const createError = (status: number, code: string) =>
    new AwsError(operation.target, status, code, earlierError);
  const response = await post(operation, target, signal, agent).catch((error: unknown) => {
    throw createError(0, readTextField(error, 'code') ?? 'NoAnswer');
  });
  if (response.status < 200 || response.status > 299)
    throw createError(response.status, parseErrorCode(response.body));
  const content = parseJson(response.body);
  if (content === undefined) throw createError(502, 'NotJson');
  return content;
}

/**
 * Sends one signed request. Rejects when no response of at most `maxResponseBytes` arrives, and with AwsError when `signal` is
 * aborted. Listens to the signal itself: the option `signal` of Node takes a tenth of the processor time of a request.
 */
export function post(
  { service, target: name, path, input, maxResponseBytes: maxAnswerBytes = MAX_RESPONSE_BYTES }: AwsOperation,
  { url, access: { region, credentials } }: RequestTarget,
  signal: AbortSignal,
  agent: HttpAgent | undefined,
): Promise<RawResponse> {
  const headers = signHeaders(
    {
      service,
      region,
      host: url.host,
      path: url.pathname,
      headers: {
        'content-type': `application/${path ? 'json' : `x-amz-json-${jsonVersion(service)}`}`,
        ...(!path && { 'x-amz-target': name }),
      },
      body: input,
    },
    credentials,
    new Date(),
  );
  const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      { method: 'POST', headers, agent: agent ?? false },
      (response) => void read(response, maxAnswerBytes).then(resolve, reject),
    );
    const stop = (): void => {
      // Without a socket it still waited for a connection.
      reject(new AwsError(name, 0, request.socket ? 'Timeout' : NOT_SENT));
      request.destroy();
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    request.once('error', reject).once('close', () => signal.removeEventListener('abort', stop));
    request.end(input);
  });
}

/** With events: an iterator over the response takes as much processor time as the rest of the request. */
function read(response: IncomingMessage, maxBytes: number): Promise<RawResponse> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    response
      .on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) response.destroy(new AwsError('', 0, 'TooLarge'));
        else chunks.push(chunk);
      })
      .once('end', () => {
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
      })
      .once('error', reject)
      // After the end this changes nothing. Without a reason, because to create an error for each response takes time.
      .once('close', reject);
  });
}

/** Returns the error code without its namespace, such as `com.amazonaws.dynamodb.v20120810#`. */
export function parseErrorCode(body: string): string {
  return readTextField(parseJson(body), '__type')?.split('#').at(-1) ?? 'Unknown';
}

/**
 * Reads a text field of an external value. Without a validation library, which does not fit into the smallest
 * front.
 */
export function readTextField(of: unknown, name: string): string | undefined {
  const value: unknown = typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}
