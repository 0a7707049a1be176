import { Timeline } from '../faults/timeline.ts';
import type { Time } from '../../shared/runtime/time.ts';

/** A clock that advances only when no promise can continue without it. */
export class SimulatedTime implements Time {
  #now: number;
  #order = 0;
  readonly #timers = new Timeline();

  constructor(start: number) {
    this.#now = start;
  }

  readonly now = (): number => this.#now;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const stop = (): void => {
        timer.wake = undefined;
        reject(signal?.reason);
      };
      const timer = createTimer(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      this.at(this.#now + Math.ceil(Math.max(ms, 0)), timer.run, timer.isOver);
      signal?.addEventListener('abort', stop, { once: true });
    });

  /** Schedules a callback (ms since 1970). A timer that `isTerminal` reports as ended does not advance the clock. */
  at(ms: number, run: () => void, isOver: () => boolean = () => false): void {
    this.#timers.put({ at: ms, order: (this.#order += 1), run, isOver });
  }

  /** Advances the clock, also past timers, which are then late. */
  advance(ms: number): void {
    this.#now += Math.round(ms);
  }

  /** Advances time until this promise settles. Rejects after `most` steps. */
  async until<T>(work: Promise<T>, maxSteps = 100_000): Promise<T> {
    let settled = false;
    void work.then(
      () => (settled = true),
      () => (settled = true),
    );
    for (let step = 0; step < maxSteps; step += 1) {
      await turn();
      if (settled) return work;
      this.#next();
    }
    throw new Error('it does not end');
  }

  /** Advances time to this moment (ms since 1970). */
  async pass(to: number): Promise<void> {
    for (;;) {
      await turn();
      const at = this.#next(to);
      if (at === undefined) break;
      // Timers of the same moment run concurrently.
      while (this.#next(at) !== undefined);
    }
    this.#now = Math.max(this.#now, to);
  }

  /** Runs the first timer if it is due by `end`. Resolves with the time when it was due. */
  #next(end = Infinity): number | undefined {
    for (;;) {
      const first = this.#timers.take(end);
      if (!first) return undefined;
      if (first.isOver?.() === true) continue;
      this.#now = Math.max(this.#now, first.at);
      first.run();
      return first.at;
    }
  }
}

/**
 * A timer that forgets its caller when it is cancelled, as a real one does. The timeline keeps it until its time, and would otherwise
 * keep alive all that the caller holds.
 */
function createTimer(onTime: () => void) {
  const timer: { wake: (() => void) | undefined; readonly run: () => void; readonly isOver: () => boolean } =
    {
      wake: onTime,
      run: () => timer.wake?.(),
      isOver: () => timer.wake === undefined,
    };
  return timer;
}

/** Lets every pending promise continue. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
