import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { AwsAccess } from '../runtime/index.ts';
import { backoffMs, parseJson, retry } from '../utils/index.ts';
import {
  type AwsCall,
  getDefaultEndpoint,
  parseErrorCode,
  MAX_CONNECTIONS,
  post,
  RETRYABLE,
  readTextField,
} from './aws-request.ts';

/** DynamoDB rejected a request, failed, or did not respond (status 0). */
export class DynamoError extends Error {
  /** DynamoDB's name of the error, such as `ValidationException`, or that of the connection error. */
  override readonly name: string;
  readonly code: string;
  readonly status: number;
  /** Whether the operation may have succeeded: an attempt had no response, or DynamoDB failed. */
  readonly mayHaveSucceeded: boolean;
  /** `message`: DynamoDB's. It may name attributes, so it is not logged. */
  constructor(status: number, code: string, message: string, mayHaveSucceeded: boolean) {
    super(message);
    this.mayHaveSucceeded = mayHaveSucceeded;
    this.name = code;
    this.code = code;
    this.status = status;
  }
}

export type DynamoCallOptions = {
  /** How often a request is sent at most. More than once, a write may meet the effect of its own first attempt. */
  readonly maxAttempts: number;
  /** The timeout of each attempt (ms). */
  readonly attemptMs: number;
};

/** A page of 1 MB, with its binary values in base64 and a type for each value. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
/** The backoff of the AWS SDK for DynamoDB (docs: SDK reference, "Retry behavior"), with full jitter. */
const BACKOFF = { firstMs: 50, maxMs: 1_000 } as const;

/**
 * Creates the function that sends DynamoDB operations for a worker: signed requests over kept-alive connections. It retries
 * throttled and failed requests, requests without a response, and broken connections. Rejects with DynamoError.
 *
 * Not the AWS SDK: a worker with the SDK needs 300 KB more code, and twice the processor time for each request.
 */
export function createDynamoCall(
  access: AwsAccess,
  { maxAttempts, attemptMs }: DynamoCallOptions,
  random: () => number = Math.random,
): AwsCall {
  const url = new URL(access.endpoints.dynamodb ?? getDefaultEndpoint('dynamodb', access.region));
  const Agent = url.protocol === 'http:' ? HttpAgent : HttpsAgent;
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  return (operation) => {
    let mayHaveSucceeded = false;
    const createError = (
      status: number,
      code: string,
      message = `${operation.target} failed`,
    ): DynamoError => {
      mayHaveSucceeded ||= status >= 500 || (status === 0 && code !== 'ECONNREFUSED');
      return new DynamoError(status, code, message, mayHaveSucceeded);
    };
    return retry(
      async (attempt) => {
        const signal = AbortSignal.timeout(attemptMs);
        const limited = { maxResponseBytes: MAX_RESPONSE_BYTES, ...operation };
        // After the first attempt a new connection: the kept-alive ones may all be dead after Lambda froze the process.
        const connections = attempt === 1 ? agent : undefined;
        const { status, body } = await post(limited, { url, access }, signal, connections).catch(
          (error: unknown) => {
            throw createError(
              0,
              signal.aborted ? 'TimeoutError' : (readTextField(error, 'code') ?? 'NoAnswer'),
            );
          },
        );
        const content = parseJson(body);
        if (status >= 200 && status <= 299 && content !== undefined) return content;
        throw createError(
          status,
          parseErrorCode(body),
          readTextField(content, 'message') ?? readTextField(content, 'Message'),
        );
      },
      (error, attempt) =>
        attempt < maxAttempts && error instanceof DynamoError && isRetryable(error)
          ? random() * backoffMs(attempt, BACKOFF)
          : undefined,
      (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
    );
  };
}

const isRetryable = ({ status, code }: DynamoError): boolean =>
  status === 0 || status >= 500 || status === 429 || RETRYABLE.test(code);
