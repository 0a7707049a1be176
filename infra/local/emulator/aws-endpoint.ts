import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BodyTooLargeError, readBody } from '../body.ts';

/** An error of the AWS JSON protocols. `legacyCode` is the older name that SQS clients also check. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly type: string;
  readonly legacyCode: string | undefined;
  constructor(type: string, message: string, legacyCode?: string) {
    super(message);
    this.type = type;
    this.legacyCode = legacyCode;
  }
}

/** Handles one operation of a service. Throws AwsError for requests that AWS rejects with 400. */
export type AwsOperation = (input: unknown, signal: AbortSignal) => unknown;

/** Operations by `X-Amz-Target`, such as `AmazonSQS.SendMessage`; for X-Ray by method and path. */
export type AwsOperations = Readonly<Record<string, AwsOperation>>;

/** Larger than the largest SQS batch (1 MiB) even when every character needs six bytes as JSON. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * Creates a server for the AWS JSON protocols. Accepts only requests signed with `accessKeyId`, an unguessable name that only
 * the functions and `local.json` know, because other users of this machine can reach the port. Does not verify the signature itself.
 */
export function createAwsServer(accessKeyId: string, operations: () => AwsOperations): Server {
  return createServer((request, response) => {
    handleRequest(request, response, accessKeyId, operations()).catch((error: unknown) => {
      sendError(response, error);
    });
  });
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  accessKeyId: string,
  operations: AwsOperations,
) {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (!(request.headers.authorization ?? '').startsWith(`AWS4-HMAC-SHA256 Credential=${accessKeyId}/`)) {
    throw new AwsError(
      'com.amazonaws#InvalidClientTokenId',
      'The access key is not the one of this local system',
    );
  }
  const target = request.headers['x-amz-target'] ?? `${request.method} ${request.url}`;
  const isKnown = typeof target === 'string' && Object.hasOwn(operations, target);
  const operation = isKnown ? operations[target] : undefined;
  if (operation === undefined) {
    throw new AwsError(
      'com.amazonaws#UnknownOperationException',
      `The local system has no operation ${String(target)}`,
    );
  }
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  send(response, 200, await operation(parse(body), disconnected.signal));
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.length === 0 ? '{}' : body.toString('utf8'));
  } catch {
    throw new AwsError('com.amazonaws#SerializationException', 'The body is not JSON');
  }
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return;
  if (error instanceof AwsError) {
    if (error.legacyCode !== undefined)
      response.setHeader('x-amzn-query-error', `${error.legacyCode};Sender`);
    send(response, 400, { __type: error.type, message: error.message });
  } else if (error instanceof BodyTooLargeError)
    send(response, 413, { __type: 'com.amazonaws#RequestTooLarge' });
  else send(response, 500, { __type: 'com.amazonaws#InternalFailure', message: 'The local system failed' });
}

function send(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'x-amzn-requestid': randomUUID(),
  });
  response.end(JSON.stringify(content ?? {}));
}
