import { createHash } from 'node:crypto';
import { isObject, objectOf, parseJson, stringOf } from '../http/json.ts';

/** A delivery is a hint of a few lines; more than this is not read. */
export const MAX_CALLBACK_BYTES = 256 * 1024;

/**
 * The id of the job that a delivery is about, if it names one. Its form is not documented, and whoever knows the
 * address can post: correlate by the address, and ask for the result with the handle before believing anything.
 */
export function callbackRequestId(body: string): string | undefined {
  if (Buffer.byteLength(body) > MAX_CALLBACK_BYTES) return undefined;
  const value = parseJson(body);
  if (!isObject(value)) return undefined;
  const named =
    value['request_id'] ?? value['requestId'] ?? objectOf(value['data'])?.['request_id'] ?? value['id'];
  return stringOf(named);
}

/**
 * An `Idempotency-Key` for a logical request: the same parts give the same key, so that a retry, or another worker with
 * the same task, cannot make a second job. Keys are scoped per account, so begin with what tells installations apart.
 */
export function idempotencyKey(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
