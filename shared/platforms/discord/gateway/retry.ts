import type { RelayDeps } from './relay-deps.ts';
import { errorName } from '../../../utils/error-name.ts';

/** Waits between tries: doubled with each, up to half a minute. */
const WAITS = { firstMs: 250, mostMs: 30_000 } as const;

export type Patience = {
  readonly sleep: (ms: number) => Promise<void>;
  /** Told of each failure; to go on, or to give up. */
  readonly failed: (error: unknown, attempt: number) => 'again' | 'give-up';
};

/** Tries for what will not succeed anyway. */
const HOPELESS_TRIES = 3;

/** Patience for work of that name; one that may give up does so where an error will be the same next time. */
export function retryOptions(
  what: string,
  { sleep, hopeless, log }: Pick<RelayDeps, 'sleep' | 'hopeless' | 'log'>,
  mayGiveUp = false,
): Patience {
  const failed = (error: unknown, attempt: number): 'again' | 'give-up' => {
    const over = mayGiveUp && attempt >= HOPELESS_TRIES && hopeless(error);
    const facts = { kind: what, attempt, error: errorName(error) };
    if (over) log.error('gateway.given-up', facts);
    else log.warn('gateway.retried', facts);
    return over ? 'give-up' : 'again';
  };
  return { sleep, failed };
}

/** Does something until it succeeds, or until `failed` gives up: undefined then. Never rejects. */
export async function retryForever<T>(
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
