import { setImmediate as nextTurn } from 'node:timers/promises';

/** The clock advances by a second for so many turns of the event loop: enough for requests over loopback to be answered. */
const TURNS_PER_SECOND = 2_000;
/** What wakes up in a second has reached its next sleep after so many turns. */
const TURNS_OF_A_SLEEPER = 20;
/** A test that waits longer than these turns has failed. */
const MAX_TURNS = 4_000_000;

type Sleeper = { readonly at: number; readonly wake: () => void };

/**
 * A clock that counts turns of the event loop instead of time: a busy machine makes a test slower, but its requests
 * do not time out. Runs until it is closed.
 */
export class TurnClock {
  readonly #sleepers = new Set<Sleeper>();
  #now = Date.parse('2026-01-01T00:00:00Z');
  #isClosed = false;

  constructor() {
    void this.#run();
  }

  readonly now = (): number => this.#now;

  readonly sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      this.#sleepers.add({ at: this.#now + ms, wake: resolve });
    });

  advance(ms: number): void {
    this.#now += ms;
    const due = [...this.#sleepers].filter(({ at }) => at <= this.#now);
    for (const sleeper of due.toSorted((a, b) => a.at - b.at)) {
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }

  /** Advances second by second, so that each sleep continues before the next one ends. */
  async pass(ms: number): Promise<void> {
    for (const end = this.#now + ms; this.#now < end; this.advance(1_000))
      for (let turns = 0; turns < TURNS_OF_A_SLEEPER; turns += 1) await nextTurn();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #run(): Promise<void> {
    for (let turns = 1; !this.#isClosed; turns += 1) {
      await nextTurn();
      if (turns % TURNS_PER_SECOND === 0) this.advance(1_000);
    }
  }
}

/** Resolves as soon as this holds. Rejects if it does not hold after four million turns of the event loop. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turns = 0; !holds(); turns += 1) {
    if (turns > MAX_TURNS) throw new Error(`never: ${holds.toString()}`);
    await nextTurn();
  }
}
