import { createHash } from 'node:crypto';
import { isObject, asObject, parseJson, asNonEmptyString } from '../http/json.ts';

/** A callback is a few lines; larger bodies are ignored. */
export const MAX_CALLBACK_BYTES = 256 * 1024;

/**
 * Returns the job id that a callback names, if any. The format is not documented and anyone who knows the URL can post:
 * find the job by the URL, and fetch the result with the job's handle.
 */
export function parseCallbackRequestId(body: string): string | undefined {
  if (Buffer.byteLength(body) > MAX_CALLBACK_BYTES) return undefined;
  const value = parseJson(body);
  if (!isObject(value)) return undefined;
  const requestId =
    value['request_id'] ?? value['requestId'] ?? asObject(value['data'])?.['request_id'] ?? value['id'];
  return asNonEmptyString(requestId);
}

/**
 * Creates an `Idempotency-Key` for a logical request: equal parts give equal keys, so a retry, or another worker with the
 * same task, cannot create a second job. Keys are scoped per account, so start with a part that identifies the deployment.
 */
export function createIdempotencyKey(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
