/** Waits between tries: doubled with each, up to half a minute. */
const WAITS = { firstMs: 250, mostMs: 30_000 } as const;

export type Patience = {
  readonly sleep: (ms: number) => Promise<void>;
  /** Told of each failure; to go on, or to give up. */
  readonly failed: (error: unknown, attempt: number) => 'again' | 'give-up';
};

/** Does something until it succeeds, or until `failed` gives up: undefined then. Never rejects. */
export async function patiently<T>(
  work: () => Promise<T>,
  { sleep, failed }: Patience,
): Promise<T | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (failed(error, attempt) === 'give-up') return undefined;
      await sleep(Math.min(WAITS.mostMs, WAITS.firstMs * 2 ** (attempt - 1)));
    }
  }
}
