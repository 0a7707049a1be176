/**
 * The same function, which does its work once for the same text while no other is asked about: a long text is split at many
 * places, and each place asks about the whole.
 */
export function ofLast<T>(work: (text: string) => T): (text: string) => T {
  let last: { readonly text: string; readonly result: T } | undefined;
  return (text) => {
    last = last?.text === text ? last : { text, result: work(text) };
    return last.result;
  };
}

/** How many of these numbers, which ascend, are less than a limit. */
export function countBefore(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
