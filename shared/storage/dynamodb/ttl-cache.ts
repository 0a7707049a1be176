/** Caches values for a time. Concurrent reads of a key share one read. */
export class TtlCache<T> {
  readonly #entries = new Map<string, { readonly until: number; readonly value: Promise<T> }>();
  readonly #now: () => number;
  readonly #entriesMs: number;
  readonly #maxEntries: number;

  constructor({
    now,
    ttlMs,
    maxEntries,
  }: {
    readonly now: () => number;
    readonly ttlMs: number;
    readonly maxEntries: number;
  }) {
    this.#now = now;
    this.#entriesMs = ttlMs;
    this.#maxEntries = maxEntries;
  }

  /** Returns the cached value of `key`, or reads it. Failed reads are not cached. */
  get(key: string, read: () => Promise<T>): Promise<T> {
    const entry = this.#entries.get(key);
    if (entry && entry.until > this.#now()) return entry.value;
    const value = read();
    value.catch(() => this.#entries.delete(key));
    if (this.#entries.size >= this.#maxEntries) this.#entries.clear();
    this.#entries.set(key, { until: this.#now() + this.#entriesMs, value });
    return value;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
