/** Computed values. Simulations need the same ones in thousands of runs, and computing one takes longer than most requests. */
export class ComputedValues<Value> {
  readonly #values = new Map<string, Value>();

  get(key: string, compute: () => Value): Value {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    if (this.#values.size >= MAX_VALUES) this.#values.clear();
    const value = compute();
    this.#values.set(key, value);
    return value;
  }
}

const MAX_VALUES = 2_000;
