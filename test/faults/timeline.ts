/** A scheduled event. */
export type Event = {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  /** It was cancelled. */
  readonly isOver?: () => boolean;
};

/** Scheduled events: the earliest first, those of the same time in the order of scheduling. */
export class Timeline {
  readonly #heap: Event[] = [];

  get size(): number {
    return this.#heap.length;
  }

  put(event: Event): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isSooner(heap, at, above)) return;
      swap(heap, at, above);
      at = above;
    }
  }

  /** The earliest, if it is not after `end`. */
  take(end: number): Event | undefined {
    const heap = this.#heap;
    const [first] = heap;
    if (!first || first.at > end) return undefined;
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ;) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2])
        if (below < heap.length && isSooner(heap, below, least)) least = below;
      if (least === at) return first;
      swap(heap, at, least);
      at = least;
    }
  }
}

function isSooner(heap: readonly Event[], a: number, b: number): boolean {
  const [one, other] = [heap[a], heap[b]];
  if (!one || !other) return false;
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

function swap(heap: Event[], a: number, b: number): void {
  const [one, other] = [heap[a], heap[b]];
  if (one && other) [heap[a], heap[b]] = [other, one];
}
