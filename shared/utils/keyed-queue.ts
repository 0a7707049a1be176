import { SerialQueue } from './serial-queue.ts';

/** Runs actions concurrently, those of one key in the order of the calls, on a fixed number of lanes. */
export class KeyedQueue {
  readonly #lanes: readonly SerialQueue[];
  readonly #maxWaiting: number;
  /** The actions that wait or run. */
  readonly #pending = new Set<Promise<void>>();

  constructor(laneCount: number, maxWaiting: number) {
    this.#lanes = Array.from({ length: laneCount }, () => new SerialQueue());
    this.#maxWaiting = maxWaiting;
  }

  /** Whether the maximum number of actions waits or runs. The caller decides what to do then: `run` accepts more. */
  get isFull(): boolean {
    return this.#pending.size >= this.#maxWaiting;
  }

  /**
   * Runs the action after all earlier ones of this key, and once `ready` is fulfilled: until then it takes no lane. Actions of one key keep their order if their
   * `ready` are fulfilled in that order. Rejects with the error of the action.
   */
  async run(key: string, action: () => Promise<void>, ready?: Promise<void>): Promise<void> {
    const pending = this.#start(key, action, ready);
    this.#pending.add(pending);
    try {
      await pending;
    } finally {
      this.#pending.delete(pending);
    }
  }

  async #start(key: string, action: () => Promise<void>, ready?: Promise<void>): Promise<void> {
    if (ready) await ready;
    await this.#lanes[hashKey(key) % this.#lanes.length]?.run(action);
  }

  /** Resolves when all actions up to now have ended. Never rejects. */
  async drain(): Promise<void> {
    await Promise.allSettled(this.#pending);
  }
}

/** Consecutive ids differ in their last digits; those of one millisecond in the very last. All digits count here. */
function hashKey(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i += 1) hash = (hash * 31 + key.charCodeAt(i)) >>> 0;
  return hash;
}
