/** How much is remembered of one kind, unless told. */
const MAX_KEYS = 1_000;

/** Asks once for each key, and remembers the answer for so long (ms), of so many keys. What fails is asked again. */
export function cached<T>(
  ask: (key: string) => Promise<T>,
  ms: number,
  now: () => number,
  maxKeys = MAX_KEYS,
): (key: string) => Promise<T> {
  const kept = new Map<string, { readonly until: number; readonly answer: Promise<T> }>();
  return (key) => {
    const known = kept.get(key);
    if (known && known.until > now()) return known.answer;
    const answer = ask(key);
    if (kept.size >= maxKeys) kept.clear();
    kept.set(key, { until: now() + ms, answer });
    answer.catch(() => kept.delete(key));
    return answer;
  };
}
