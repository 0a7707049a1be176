import type { Time } from '../../shared/runtime/time.ts';

type Timer = { readonly at: number; readonly order: number; readonly run: () => void };

/** A clock that moves only when everything that can go on without it has. */
export class SimulatedTime implements Time {
  #now: number;
  #order = 0;
  readonly #timers: Timer[] = [];

  constructor(start: number) {
    this.#now = start;
  }

  readonly now = (): number => this.#now;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const stop = (): void => {
        const index = this.#timers.indexOf(timer);
        if (index >= 0) this.#timers.splice(index, 1);
        reject(signal?.reason);
      };
      const timer: Timer = {
        at: this.#now + Math.ceil(Math.max(ms, 0)),
        order: (this.#order += 1),
        run: () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        },
      };
      this.#timers.push(timer);
      signal?.addEventListener('abort', stop, { once: true });
    });

  /** Moves the clock, past timers too: they are late then. */
  advance(ms: number): void {
    this.#now += Math.round(ms);
  }

  /** Lets time go on until this is settled. Rejects when it is not after `most` steps. */
  async until<T>(work: Promise<T>, most = 100_000): Promise<T> {
    let settled = false;
    void work.then(
      () => (settled = true),
      () => (settled = true),
    );
    for (let step = 0; step < most; step += 1) {
      await turn();
      if (settled) return work;
      this.#next();
    }
    throw new Error('it does not end');
  }

  /** Runs the timer that is due first. */
  #next(): void {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer;
    }
    if (!first) return;
    this.#timers.splice(this.#timers.indexOf(first), 1);
    this.#now = Math.max(this.#now, first.at);
    first.run();
  }
}

/** Lets every promise that can go on do so. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
