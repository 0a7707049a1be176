import type { RelayDeps } from '../relay-deps.ts';

/** How often it is said that a relay which waits on purpose lives. */
const ALIVE_MS = 30_000;
/** A shard of which nothing was heard for so long, three heartbeats, is not connected. */
const SILENT_MS = 120_000;

/** Tells the health check that the relay lives: as long as all shards that it runs do. */
export class HeartbeatMonitor {
  readonly #deps: Pick<RelayDeps, 'alive' | 'now' | 'sleep'>;
  readonly #heardAt = new Map<string, number>();
  /** Those that wait on purpose. */
  readonly #waiting = new Set<string>();

  constructor(deps: Pick<RelayDeps, 'alive' | 'now' | 'sleep'>) {
    this.#deps = deps;
  }

  /** A shard has begun: it has as much time as if it had just been heard of. */
  add(shard: string): void {
    this.#heardAt.set(shard, this.#deps.now());
  }

  remove(shard: string): void {
    this.#heardAt.delete(shard);
  }

  /** A shard was heard of. */
  alive(shard: string): void {
    if (this.#heardAt.has(shard)) this.#heardAt.set(shard, this.#deps.now());
    this.#tell();
  }

  /** The shard waits on purpose for as long as this takes. */
  async during<T>(shard: string, work: () => Promise<T>): Promise<T> {
    this.#waiting.add(shard);
    try {
      return await work();
    } finally {
      this.#waiting.delete(shard);
      this.add(shard);
    }
  }

  /** Waits, and lets it be known meanwhile that the relay lives. */
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
