import { AwsCallError, type OperatorCall } from './operator-call.ts';

const EXPIRED = /ExpiredToken|RequestExpired/u;
/** Each renewal reads files or asks a service for credentials. */
const MIN_INTERVAL_MS = 30_000;

/**
 * Returns a call that reads the credentials again when they have expired: a command may run for longer than they are valid, and
 * the operator may have signed in again. `create` rejects with OperatorError.
 */
export function createRenewingCall(
  first: OperatorCall,
  create: () => Promise<OperatorCall>,
  now: () => number,
): OperatorCall {
  let current = Promise.resolve(first);
  let renewedAt = -Infinity;
  return async (service, target, input) => {
    const used = current;
    try {
      return await (
        await used
      )(service, target, input);
    } catch (error) {
      if (!(error instanceof AwsCallError) || !EXPIRED.test(error.code)) throw error;
      if (used === current) {
        if (now() - renewedAt < MIN_INTERVAL_MS) throw error;
        renewedAt = now();
        // Without new credentials the error of AWS says what to do.
        current = create().catch(() => used);
      }
      return (await current)(service, target, input);
    }
  };
}
