/**
 * Caches the result for the last text: a long text is split at many offsets, and each split needs the lines or tables of the
 * whole text.
 */
export function cacheLast<T>(compute: (text: string) => T): (text: string) => T {
  let last: { readonly text: string; readonly result: T } | undefined;
  return (text) => {
    last = last?.text === text ? last : { text, result: compute(text) };
    return last.result;
  };
}

/** How many of these ascending numbers are less than a limit. */
export function countBefore(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
