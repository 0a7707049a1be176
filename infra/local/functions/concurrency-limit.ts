/**
 * Limits concurrent actions per key, in order of arrival. Lambda uses a machine per request; here all requests share one, and
 * a hundred in parallel would all miss the platforms' timeout of three seconds.
 */
export function createConcurrencyLimit(
  maxConcurrent: number,
): <T>(key: string, act: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, { busy: number; readonly waiting: (() => void)[] }>();
  return async (key, act) => {
    const queue = queues.get(key) ?? { busy: 0, waiting: [] };
    queues.set(key, queue);
    if (queue.busy >= maxConcurrent) await new Promise<void>((resolve) => queue.waiting.push(resolve));
    else queue.busy += 1;
    try {
      return await act();
    } finally {
      const next = queue.waiting.shift();
      if (next) next();
      else queue.busy -= 1;
    }
  };
}
