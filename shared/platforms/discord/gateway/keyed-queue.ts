/** Work side by side, in order within each key, on a fixed number of lanes. */
export class KeyedQueue {
  readonly #lanes: Promise<void>[];
  readonly #most: number;
  #waiting = 0;

  constructor(count: number, most: number) {
    this.#lanes = Array.from({ length: count }, () => Promise.resolve());
    this.#most = most;
  }

  /** Whether as much is waiting as may wait. */
  get full(): boolean {
    return this.#waiting >= this.#most;
  }

  get idle(): boolean {
    return this.#waiting === 0;
  }

  /** Does the work behind all that was given for this key before. The work must not reject. */
  run(key: string, work: () => Promise<void>): Promise<void> {
    const lane = numberOf(key) % this.#lanes.length;
    this.#waiting += 1;
    const done = (this.#lanes[lane] ?? Promise.resolve()).then(work).finally(() => {
      this.#waiting -= 1;
    });
    this.#lanes[lane] = done;
    return done;
  }

  /** Resolves when nothing that is known now waits any more. */
  async drained(): Promise<void> {
    await Promise.all(this.#lanes);
  }
}

/** Ids made one after the other differ in their last digits; those of one millisecond in the very last. */
function numberOf(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i += 1) hash = (hash * 31 + key.charCodeAt(i)) >>> 0;
  return hash;
}
