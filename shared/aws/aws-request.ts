import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { AwsAccess, AwsService } from '../runtime/config/config.ts';
import { signedHeaders } from './sigv4.ts';

/** One operation of an AWS service that speaks JSON by POST. */
export type AwsOperation = {
  readonly service: AwsService;
  /** As in `X-Amz-Target`, such as `AmazonSQS.SendMessage`. */
  readonly target: string;
  /** Of a service that names the operation by its path instead. */
  readonly path?: string;
  readonly input: string;
  /** Ends it, in place of the deadline that all have. */
  readonly signal?: AbortSignal;
  /** The largest answer that is read, where that is more than a query of DynamoDB answers. */
  readonly maxAnswerBytes?: number;
};

/**
 * Resolves with what the service answered, not yet validated. Rejects with AwsError. A broken connection, a 5xx or a
 * throttle is tried once more: the operation may then have happened twice, and callers are made for that.
 */
export type AwsCall = (operation: AwsOperation) => Promise<unknown>;

/** The service refused (4xx, with its error code), failed (5xx) or did not answer (status 0). Names no content. */
export class AwsError extends Error {
  override readonly name = 'AwsFailed';
  readonly target: string;
  readonly status: number;
  readonly code: string;
  /** Whether the service may have done it all the same: one of the tries broke off, or the service did not say. */
  readonly mayBeDone: boolean;
  constructor(target: string, status: number, code: string, before?: AwsError) {
    super(`${target}: ${code}${status > 0 ? ` (${status})` : ''}`);
    this.target = target;
    this.status = status;
    this.code = code;
    const unsaid = status >= 500 || (status === 0 && code !== NOT_SENT && code !== 'ECONNREFUSED');
    this.mayBeDone = unsaid || before?.mayBeDone === true;
  }
}

export type AwsCallOptions = {
  /** For both tries together, in ms, where an operation brings no signal. Default 900: Lambda ends a front after 5 s. */
  readonly deadlineMs?: number;
};

const NOT_SENT = 'NotSent';

type Answer = { readonly status: number; readonly body: string };
type Target = { readonly url: URL; readonly access: AwsAccess };

/** A DynamoDB query answers 1 MB at most. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

/** The version of its JSON that a service speaks. */
const versionOf = (service: AwsService): string => (/^(?:dynamodb|sqs)$/u.test(service) ? '1.0' : '1.1');
/** A throttle, under any of its names; or a connection that broke. */
const PASSING =
  /^(?:Throttling|ProvisionedThroughputExceeded)Exception$|^Request(?:LimitExceed|Throttl)ed$|^E(?:CONN(?:RESET|REFUSED|ABORTED)|PIPE)$/u;

/** Small signed requests over kept connections: a hundredth of the AWS client's code, where start-up time counts. */
export function awsCaller(access: AwsAccess, { deadlineMs = 900 }: AwsCallOptions = {}): AwsCall {
  const [plain, secure] = [HttpAgent, HttpsAgent].map((Agent) => new Agent({ keepAlive: true }));
  return async (operation) => {
    const { path = '', service } = operation;
    const url = new URL(path, access.endpoints[service] ?? defaultEndpoint(service, access.region));
    const target = { url, access };
    const signal = operation.signal ?? AbortSignal.timeout(deadlineMs);
    try {
      return await once(operation, target, signal, url.protocol === 'http:' ? plain : secure);
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      // A connection of its own: those kept while Lambda was frozen may all be dead.
      return await once(operation, target, signal, undefined, error);
    }
  };
}

/** All that is called by it ends by this signal. What begins too late is not sent: NotSent. */
export function within(aws: AwsCall, signal: AbortSignal): AwsCall {
  return async (operation) => {
    if (signal.aborted) throw new AwsError(operation.target, 0, NOT_SENT);
    return aws({ ...operation, signal });
  };
}

const isPassing = (error: unknown): error is AwsError =>
  error instanceof AwsError && (error.status >= 500 || PASSING.test(error.code));

function defaultEndpoint(service: AwsService, region: string): string {
  return `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

async function once(
  operation: AwsOperation,
  target: Target,
  signal: AbortSignal,
  agent: HttpAgent | undefined,
  before?: AwsError,
): Promise<unknown> {
  const failed = (status: number, code: string) => new AwsError(operation.target, status, code, before);
  const answer = await post(operation, target, signal, agent).catch((error: unknown) => {
    throw failed(0, signal.aborted ? 'Timeout' : codeOf(error));
  });
  if (answer.status < 200 || answer.status > 299) throw failed(answer.status, errorCode(answer.body));
  const content = parse(answer.body);
  if (content === undefined) throw failed(502, 'NotJson');
  return content;
}

function post(
  { service, target: name, path, input, maxAnswerBytes = MAX_ANSWER_BYTES }: AwsOperation,
  { url, access: { region, credentials } }: Target,
  signal: AbortSignal,
  agent: HttpAgent | undefined,
): Promise<Answer> {
  const headers = signedHeaders(
    {
      service,
      region,
      host: url.host,
      path: url.pathname,
      headers: path
        ? { 'content-type': 'application/json' }
        : { 'content-type': `application/x-amz-json-${versionOf(service)}`, 'x-amz-target': name },
      body: input,
    },
    credentials,
    new Date(),
  );
  const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      { method: 'POST', headers, signal, agent: agent ?? false },
      (response) => void read(response, maxAnswerBytes).then(resolve, reject),
    );
    request.once('error', reject);
    request.end(input);
  });
}

async function read(response: IncomingMessage, maxBytes: number): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > maxBytes) throw new AwsError('', 0, 'TooLarge');
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') };
}

/** `com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException` and the like, without its namespace. */
function errorCode(body: string): string {
  return textIn(parse(body), '__type')?.split('#').at(-1) ?? 'Unknown';
}

const codeOf = (error: unknown): string => textIn(error, 'code') ?? 'NoAnswer';

/** A text that something from outside holds under a name. By hand: the smallest front has no room for a validator. */
function textIn(of: unknown, name: string): string | undefined {
  const value: unknown = typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
