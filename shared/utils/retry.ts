/** Decides after the failed attempt (1 for the first): the delay before the next one (ms), or undefined to give up. May throw. */
export type RetryRule = (error: unknown, attempt: number) => number | undefined;

/**
 * Repeats an action until it succeeds. Rejects with the last error when the rule gives up.
 * Not p-retry: it waits with `setTimeout` and cannot take the clock of a test.
 */
export async function retry<Value>(
  action: (attempt: number) => Promise<Value>,
  rule: RetryRule,
  sleep: (ms: number) => Promise<void>,
): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action(attempt);
    } catch (error) {
      const delayMs = rule(error, attempt);
      if (delayMs === undefined) throw error;
      await sleep(delayMs);
    }
  }
}

/** Returns the delay after a failed attempt (1 for the first): doubled each time, `maxMs` at most. */
export const backoffMs = (
  attempt: number,
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number },
): number => Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
