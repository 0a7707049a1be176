/** A turn as it lies in the table, with what reading it costs. */
export type Sized = { readonly bytes: number; readonly tokens: number };

/** How much of a thread's past goes into a prompt. `bytes` are as stored, `tokens` as estimated. */
export type WindowLimit = { readonly bytes: number; readonly tokens: number };

/** What is left after a trim: far enough below the limit that the next trims are several turns away. */
const KEEP = 0.6;

/**
 * The turns that go into the next prompt, oldest first. While they fit, nothing is dropped, so that every prompt
 * begins with the whole of the one before it and the upstream's prompt cache hits. When they no longer fit, the oldest
 * go in one block, down to KEEP of the limit. The newest turn is kept whatever its size.
 */
export function trim<T extends Sized>(turns: readonly T[], limit: WindowLimit): T[] {
  if (fits(turns, limit, 1)) return [...turns];
  let first = Math.max(0, turns.length - 1);
  while (first > 0 && fits(turns.slice(first - 1), limit, KEEP)) first -= 1;
  return turns.slice(first);
}

function fits(turns: readonly Sized[], limit: WindowLimit, share: number): boolean {
  const bytes = turns.reduce((sum, turn) => sum + turn.bytes, 0);
  const tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0);
  return bytes <= limit.bytes * share && tokens <= limit.tokens * share;
}
