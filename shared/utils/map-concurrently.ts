/** Runs a function for all elements, at most `concurrency` at a time. Resolves with the results in order; rejects with the first error. */
export async function mapConcurrently<T, R>(
  all: readonly T[],
  concurrency: number,
  each: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < all.length; i += concurrency) {
    results.push(...(await Promise.all(all.slice(i, i + concurrency).map((one) => each(one)))));
  }
  return results;
}
