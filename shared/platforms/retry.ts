import { backoffMs, retry, type RetryRule } from '../utils/retry.ts';

/** Time as `runtime/time` has it, repeated because a platform imports nothing of the runtime. */
export type Time = {
  /** ms since 1970. */
  readonly now: () => number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/** Says what happened; never what was said. */
export type Log = (
  event: string,
  facts?: Readonly<Record<string, string | number | boolean | undefined>>,
) => void;

/** What is known after a call failed. */
export type CallFailure =
  /** The platform asks to wait; nothing happened. */
  | { readonly kind: 'busy'; readonly waitMs: number }
  /** Nothing happened, and the same call may succeed soon. */
  | { readonly kind: 'transient' }
  /** Nothing happened, and the same call will not succeed. */
  | { readonly kind: 'refused'; readonly code: string }
  /** Nobody knows whether the call took effect. */
  | { readonly kind: 'unknown' };

/** How long to go on trying, and what ends it earlier. */
export type RetryOptions = {
  readonly time: Time;
  /** ms since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
};

/** What was asked could not be done in the time given; `cause` is what the last call failed with. */
export class RetryTimeoutError extends Error {
  override readonly name = 'NotShown';
}

const BACKOFF = { firstMs: 250, maxMs: 8_000 };

/** Waits before the next try: what is asked for, or longer with every attempt. Throws RetryTimeoutError if time runs out. */
export async function retryDelay(
  attempt: number,
  askedMs: number | undefined,
  { time, deadline, signal }: RetryOptions,
  cause: unknown,
): Promise<void> {
  await time.sleep(nextDelayMs(attempt, askedMs, { time, deadline }, cause), signal);
}

function nextDelayMs(
  attempt: number,
  askedMs: number | undefined,
  { time, deadline }: RetryOptions,
  cause: unknown,
): number {
  const ms = askedMs ?? backoffMs(attempt + 1, BACKOFF);
  if (time.now() + ms > deadline) throw new RetryTimeoutError('no time is left', { cause });
  return ms;
}

/** Repeats a call that is harmless to repeat until it succeeds, is refused for good, or time runs out. */
export type RetryFunction = <T>(call: () => Promise<T>, patience: RetryOptions) => Promise<T>;

/** `persist` for a platform whose failed calls `toRequestError` reads. */
export function retryUntilDeadline(failureOf: (error: unknown) => CallFailure): RetryFunction {
  return (call, options) => {
    const rule: RetryRule = (error, attempt) => {
      const failure = failureOf(error);
      if (failure.kind === 'refused') return undefined;
      return nextDelayMs(attempt - 1, failure.kind === 'busy' ? failure.waitMs : undefined, options, error);
    };
    return retry(call, rule, (ms) => options.time.sleep(ms, options.signal));
  };
}
