const DEFAULT_MAX_ENTRIES = 1_000;

export type TtlCacheOptions = {
  /** ms since 1970. */
  readonly now: () => number;
  readonly ttlMs: number;
  /** The oldest entry is removed for a new one. Default: 1,000. */
  readonly maxEntries?: number;
};

/**
 * Caches values for a time, by key. Concurrent reads of a key share one read; failed reads are not cached.
 * Not lru-cache: it has 18.4 KB minified, and both fronts load this file.
 */
export class TtlCache<Value, Key = string> {
  readonly #options: TtlCacheOptions;
  readonly #entries = new Map<Key, { readonly untilMs: number; readonly value: Promise<Value> }>();

  constructor(options: TtlCacheOptions) {
    this.#options = options;
  }

  /** Returns the cached value of `key`, or reads it. */
  get(key: Key, read: (key: Key) => Promise<Value>): Promise<Value> {
    const entry = this.#entries.get(key);
    return entry && entry.untilMs > this.#options.now() ? entry.value : this.refresh(key, read);
  }

  /** Reads the value of `key`, and caches it in place of an older one. */
  refresh(key: Key, read: (key: Key) => Promise<Value>): Promise<Value> {
    const { now, ttlMs, maxEntries = DEFAULT_MAX_ENTRIES } = this.#options;
    const entry = { untilMs: now() + ttlMs, value: read(key) };
    // Deleted first, so that the map is in order of expiry.
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= maxEntries) this.#entries.delete(oldest);
    this.#entries.set(key, entry);
    entry.value.catch(() => {
      // A newer value may be cached by now.
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry.value;
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }
}
