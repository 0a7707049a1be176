/** How much is remembered of one kind. */
const MOST = 1_000;

/** Asks once for each key, and remembers the answer for so long (ms). What fails is asked again. */
export function remembered<T>(
  ask: (key: string) => Promise<T>,
  ms: number,
  now: () => number,
): (key: string) => Promise<T> {
  const kept = new Map<string, { readonly until: number; readonly answer: Promise<T> }>();
  return (key) => {
    const known = kept.get(key);
    if (known && known.until > now()) return known.answer;
    const answer = ask(key);
    if (kept.size >= MOST) kept.clear();
    kept.set(key, { until: now() + ms, answer });
    answer.catch(() => kept.delete(key));
    return answer;
  };
}
