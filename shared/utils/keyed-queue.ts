import { SerialQueue } from './serial-queue.ts';

/** Runs actions concurrently, those of one key in the order of the calls, on a fixed number of lanes. */
export class KeyedQueue {
  readonly #lanes: readonly SerialQueue[];
  readonly #maxWaiting: number;
  #waiting = 0;

  constructor(laneCount: number, maxWaiting: number) {
    this.#lanes = Array.from({ length: laneCount }, () => new SerialQueue());
    this.#maxWaiting = maxWaiting;
  }

  /** Whether the maximum number of actions waits or runs. The caller decides what to do then: `run` accepts more. */
  get isFull(): boolean {
    return this.#waiting >= this.#maxWaiting;
  }

  /** Runs the action after all earlier ones of this key. Rejects with the error of the action. */
  async run(key: string, action: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    try {
      await this.#lanes[hashKey(key) % this.#lanes.length]?.run(action);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Resolves when all actions up to now have ended. Never rejects. */
  async drain(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.drain()));
  }
}

/** Consecutive ids differ in their last digits; those of one millisecond in the very last. All digits count here. */
function hashKey(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i += 1) hash = (hash * 31 + key.charCodeAt(i)) >>> 0;
  return hash;
}
