import { createHash } from 'node:crypto';

/**
 * Creates an `Idempotency-Key` for a logical request: equal parts give equal keys, so a retry, or another worker with the
 * same task, cannot create a second job. Keys are scoped per account, so start with a part that identifies the deployment.
 */
export function createIdempotencyKey(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
