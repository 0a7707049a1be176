type Event = { readonly at: number; readonly order: number; readonly run: () => void };

/** Simulated time: events in order, each with all its immediate effects. ms since 1970. */
export class SimulatedTime {
  now: number;
  #order = 0;
  readonly #heap: Event[] = [];

  constructor(start: number) {
    this.now = start;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.at(this.now + ms, resolve));
  }

  at(time: number, run: () => void): void {
    this.#push({ at: Math.max(this.now, time), order: this.#order++, run });
  }

  /** Runs until `done` returns true, or no event is left. */
  async run(done: () => boolean): Promise<void> {
    while (!done()) {
      // The effects of an event run in microtasks only, which end before the next macrotask.
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.#pop();
      if (!next) return;
      this.now = next.at;
      next.run();
    }
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = heap[up];
      if (!parent || !before(event, parent)) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = event;
  }

  #pop(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const [child, place] = left && right && before(right, left) ? [right, 2 * at + 2] : [left, 2 * at + 1];
      if (!child || !before(child, last)) break;
      heap[at] = child;
      at = place;
    }
    heap[at] = last;
    return first;
  }
}

const before = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
