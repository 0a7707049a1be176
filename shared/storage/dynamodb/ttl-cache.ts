/** Keeps what was read for a while, and shares one read among those who ask at the same time. */
export class TtlCache<T> {
  readonly #kept = new Map<string, { readonly until: number; readonly value: Promise<T> }>();
  readonly #now: () => number;
  readonly #keptMs: number;
  readonly #most: number;

  constructor({
    now,
    keptMs,
    most,
  }: {
    readonly now: () => number;
    readonly keptMs: number;
    readonly most: number;
  }) {
    this.#now = now;
    this.#keptMs = keptMs;
    this.#most = most;
  }

  /** What was read for `key` not long ago, or is read now. A read that fails is not kept. */
  get(key: string, read: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key);
    if (kept && kept.until > this.#now()) return kept.value;
    const value = read();
    value.catch(() => this.#kept.delete(key));
    if (this.#kept.size >= this.#most) this.#kept.clear();
    this.#kept.set(key, { until: this.#now() + this.#keptMs, value });
    return value;
  }

  forget(key: string): void {
    this.#kept.delete(key);
  }
}
