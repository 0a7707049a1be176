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

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8_000;

/** Waits before the next try: what is asked for, or longer with every attempt. Throws RetryTimeoutError if time runs out. */
export async function retryDelay(
  attempt: number,
  askedMs: number | undefined,
  { time, deadline, signal }: RetryOptions,
  cause: unknown,
): Promise<void> {
  const ms = askedMs ?? Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10));
  if (time.now() + ms > deadline) throw new RetryTimeoutError('no time is left', { cause });
  await time.sleep(ms, signal);
}

/** Repeats a call that is harmless to repeat until it succeeds, is refused for good, or time runs out. */
export type RetryFunction = <T>(call: () => Promise<T>, patience: RetryOptions) => Promise<T>;

/** `persist` for a platform whose failed calls `toRequestError` reads. */
export function retryUntilDeadline(failureOf: (error: unknown) => CallFailure): RetryFunction {
  return async (call, patience) => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        const failure = failureOf(error);
        if (failure.kind === 'refused') throw error;
        await retryDelay(attempt, failure.kind === 'busy' ? failure.waitMs : undefined, patience, error);
      }
    }
  };
}
