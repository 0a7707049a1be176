import type { RelayDeps } from '../relay-deps.ts';

/** How often a relay that waits for a permit reports that it is alive. */
const ALIVE_MS = 30_000;
/** A shard without a sign of life for three heartbeats is not connected. */
const SILENT_MS = 120_000;

/** Reports to the health check that the relay is alive, as long as all of its shards are. */
export class HeartbeatMonitor {
  readonly #deps: Pick<RelayDeps, 'alive' | 'now' | 'sleep'>;
  readonly #heardAt = new Map<string, number>();
  /** Shards that wait for a permit. */
  readonly #waiting = new Set<string>();

  constructor(deps: Pick<RelayDeps, 'alive' | 'now' | 'sleep'>) {
    this.#deps = deps;
  }

  /** Adds a shard that starts now. */
  add(shard: string): void {
    this.#heardAt.set(shard, this.#deps.now());
  }

  remove(shard: string): void {
    this.#heardAt.delete(shard);
  }

  /** Records that a shard is alive. */
  alive(shard: string): void {
    if (this.#heardAt.has(shard)) this.#heardAt.set(shard, this.#deps.now());
    this.#tell();
  }

  /** Treats the shard as alive while it waits for this work. */
  async during<T>(shard: string, work: () => Promise<T>): Promise<T> {
    this.#waiting.add(shard);
    try {
      return await work();
    } finally {
      this.#waiting.delete(shard);
      this.add(shard);
    }
  }

  /** Waits, and reports meanwhile that the relay is alive. */
  async wait(ms: number, over: () => boolean): Promise<void> {
    for (let left = ms; left > 0 && !over(); left -= ALIVE_MS) {
      this.#tell();
      await this.#deps.sleep(Math.min(left, ALIVE_MS));
    }
  }

  #tell(): void {
    const since = this.#deps.now() - SILENT_MS;
    for (const [shard, heardAt] of this.#heardAt) if (heardAt < since && !this.#waiting.has(shard)) return;
    this.#deps.alive();
  }
}
