import type { Clock } from '../../shared/upstream/index.ts';

type Sleeper = { readonly at: number; readonly wake: () => void };

/**
 * A clock that the test controls. A short sleep (the wait before a retry) ends at once and is recorded; a long one (a
 * timeout) ends only when the test advances the clock.
 */
export class TestTime implements Clock {
  readonly waits: number[] = [];
  readonly #sleepers = new Set<Sleeper>();
  readonly #short: number;
  #now = Date.parse('2026-01-01T00:00:00Z');

  constructor(short = 5_000) {
    this.#short = short;
  }

  readonly now = (): number => this.#now;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    if (ms < this.#short) {
      this.waits.push(ms);
      this.#now += ms;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      });
    });
  };

  /** Pending sleeps: a request may leave none behind. */
  get pending(): number {
    return this.#sleepers.size;
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const sleeper of this.#sleepers) {
      if (sleeper.at > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}
