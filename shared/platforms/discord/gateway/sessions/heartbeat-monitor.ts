import type { RelayDeps } from '../relay-deps.ts';

/** How often a relay that waits for a permit reports that it is alive. */
const REPORT_INTERVAL_MS = 30_000;
/** A shard without a sign of life for three heartbeats is not connected. */
const HEARTBEAT_TIMEOUT_MS = 120_000;

/** Reports to the health check that the relay is alive, as long as all of its shards are, or it has stopped for good. */
export class HeartbeatMonitor {
  readonly #deps: Pick<RelayDeps, 'onAlive' | 'now' | 'sleep'>;
  readonly #lastAliveAt = new Map<string, number>();
  /** Shards that wait for a permit. */
  readonly #waiting = new Set<string>();
  #ignoresShards = false;

  constructor(deps: Pick<RelayDeps, 'onAlive' | 'now' | 'sleep'>) {
    this.#deps = deps;
  }

  /** Adds a shard that starts now. */
  add(shard: string): void {
    this.#lastAliveAt.set(shard, this.#deps.now());
  }

  remove(shard: string): void {
    this.#lastAliveAt.delete(shard);
  }

  /** From now on the relay counts as alive whatever its shards do: it has stopped for good, and another process would connect again. */
  ignoreShards(): void {
    this.#ignoresShards = true;
  }

  /** Records that a shard is alive. */
  alive(shard: string): void {
    if (this.#lastAliveAt.has(shard)) this.#lastAliveAt.set(shard, this.#deps.now());
    this.#report();
  }

  /** Treats the shard as alive while it waits for this work. */
  async whileWaiting<T>(shard: string, work: () => Promise<T>): Promise<T> {
    this.#waiting.add(shard);
    try {
      return await work();
    } finally {
      this.#waiting.delete(shard);
      this.add(shard);
    }
  }

  /** Waits, and reports meanwhile that the relay is alive. */
  async wait(ms: number, isOver: () => boolean): Promise<void> {
    for (let remainingMs = ms; remainingMs > 0 && !isOver(); remainingMs -= REPORT_INTERVAL_MS) {
      this.#report();
      await this.#deps.sleep(Math.min(remainingMs, REPORT_INTERVAL_MS));
    }
  }

  #report(): void {
    const since = this.#deps.now() - HEARTBEAT_TIMEOUT_MS;
    const isSilent = [...this.#lastAliveAt].some(
      ([shard, lastAliveAt]) => lastAliveAt < since && !this.#waiting.has(shard),
    );
    if (!isSilent || this.#ignoresShards) this.#deps.onAlive();
  }
}
