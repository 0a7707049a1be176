/** A map of limited size. Beyond it, the entry that was not read or set for the longest time is removed. */
export class LruMap<Key, Value extends object | number> {
  readonly #maxEntries: number;
  readonly #entries = new Map<Key, Value>();

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size > this.#maxEntries) this.#entries.delete(oldest);
  }

  /** All values. Does not count as reading them. */
  values(): Iterable<Value> {
    return this.#entries.values();
  }
}
