import type { Time } from '../runtime/index.ts';
import { backoffMs, retry, type RetryRule } from '../utils/index.ts';

/** The outcome of a failed request. */
export type CallFailure =
  /** A rate limit: nothing happened. */
  | { readonly kind: 'busy'; readonly waitMs: number }
  /** Nothing happened. The same request may succeed soon. */
  | { readonly kind: 'transient' }
  /** Nothing happened. The same request will fail again. */
  | { readonly kind: 'refused'; readonly code: string }
  /** It is unknown whether the request took effect. */
  | { readonly kind: 'unknown' };

/** Returns the reason of a failure for the log: the platform's code, or the kind. */
export const getFailureReason = (failure: CallFailure): string =>
  failure.kind === 'refused' ? failure.code : failure.kind;

/** The deadline of all retries, and the signal that cancels them. */
export type RetryOptions = {
  readonly time: Time;
  /** ms since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
};

/** The deadline of the retries was reached. `cause` is the error of the last request. */
export class RetryTimeoutError extends Error {
  override readonly name = 'RetryTimeoutError';
}

const BACKOFF = { firstMs: 250, maxMs: 8_000 };

/** Waits before the next retry: `requestedMs`, else with exponential backoff. Throws RetryTimeoutError if the deadline comes first. */
export async function retryDelay(
  attempt: number,
  requestedMs: number | undefined,
  { time, deadline, signal }: RetryOptions,
  cause: unknown,
): Promise<void> {
  await time.sleep(nextDelayMs(attempt, requestedMs, { time, deadline }, cause), signal);
}

function nextDelayMs(
  attempt: number,
  requestedMs: number | undefined,
  { time, deadline }: RetryOptions,
  cause: unknown,
): number {
  const ms = requestedMs ?? backoffMs(attempt + 1, BACKOFF);
  if (time.now() + ms > deadline) throw new RetryTimeoutError('no time is left', { cause });
  return ms;
}

/** Retries an idempotent request until it succeeds, is refused permanently, or the deadline is reached. */
export type RetryFunction = <T>(call: () => Promise<T>, options: RetryOptions) => Promise<T>;

/** Creates the retry function of a platform. `classifyError` classifies its errors. */
export function retryUntilDeadline(classifyError: (error: unknown) => CallFailure): RetryFunction {
  return (call, options) => {
    const rule: RetryRule = (error, attempt) => {
      const failure = classifyError(error);
      if (failure.kind === 'refused') return undefined;
      return nextDelayMs(attempt - 1, failure.kind === 'busy' ? failure.waitMs : undefined, options, error);
    };
    return retry(call, rule, (ms) => options.time.sleep(ms, options.signal));
  };
}
