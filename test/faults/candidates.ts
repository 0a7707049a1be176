import { ALL_FAULTS, type Fault } from './fault-kinds.ts';
import type { InjectedFaults } from './story.ts';

/**
 * Combinations of faults to choose from: one with a fault less, and the added fault. There are millions, so only
 * numbers are stored.
 */
export class Candidates {
  readonly #parents: InjectedFaults[] = [];
  /** For each candidate the numbers of its parent, of the point and of the fault. */
  readonly #numbers: number[] = [];

  get length(): number {
    return this.#numbers.length / 3;
  }

  /** Adds the combinations of a parent and one more fault each. */
  add(parent: InjectedFaults, strikes: Iterable<readonly [number, Fault]>): void {
    const nth = this.#parents.push(parent) - 1;
    for (const [index, fault] of strikes) this.#numbers.push(nth, index, ALL_FAULTS.indexOf(fault));
  }

  /** At most this many, evenly spread. */
  *spread(limit: number): Generator<InjectedFaults> {
    const stride = Math.max(1, this.length / limit);
    for (let n = 0; n < this.length; n += 1)
      if (Math.floor((n + 1) / stride) > Math.floor(n / stride)) yield this.#at(n);
  }

  #at(n: number): InjectedFaults {
    const [nth = 0, index = 0, name = 0] = this.#numbers.slice(3 * n, 3 * n + 3);
    const [parent, fault] = [this.#parents[nth], ALL_FAULTS[name]];
    if (!parent || !fault) throw new Error(`no candidate ${n}`);
    return new Map([...parent, [index, fault]]);
  }
}
