/**
 * Lets so many do something at a time for each key, in the order in which they came. Lambda gives each request a machine of its
 * own; here all share one, and a hundred side by side would all be late for a platform that waits for three seconds.
 */
export function concurrencyLimit(most: number): <T>(key: string, act: () => Promise<T>) => Promise<T> {
  const lines = new Map<string, { busy: number; readonly waiting: (() => void)[] }>();
  return async (key, act) => {
    const line = lines.get(key) ?? { busy: 0, waiting: [] };
    lines.set(key, line);
    if (line.busy >= most) await new Promise<void>((resolve) => line.waiting.push(resolve));
    else line.busy += 1;
    try {
      return await act();
    } finally {
      const next = line.waiting.shift();
      if (next) next();
      else line.busy -= 1;
    }
  };
}
