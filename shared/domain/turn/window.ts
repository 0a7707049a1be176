/** A turn as it lies in the table, with what reading it costs. */
export type SizedTurn = { readonly bytes: number; readonly tokens: number };

/** How much of a thread's past goes into a prompt. `bytes` are as stored, `tokens` as estimated. */
export type WindowLimit = { readonly bytes: number; readonly tokens: number };

/** What is left after a trim: far enough below the limit that the next trims are several turns away. */
const KEEP = 0.6;

/**
 * The turns that go into the next prompt, oldest first. While they fit, nothing is dropped, so that every prompt
 * begins with the whole of the one before it and the upstream's prompt cache hits. When they no longer fit, the oldest
 * go in one block, down to KEEP of the limit. The newest turn is kept whatever its size.
 */
export function trim<T extends SizedTurn>(turns: readonly T[], limit: WindowLimit): T[] {
  if (fits(turns, limit, 1)) return [...turns];
  let first = Math.max(0, turns.length - 1);
  while (first > 0 && fits(turns.slice(first - 1), limit, KEEP)) first -= 1;
  return turns.slice(first);
}

/** The share of what a model takes in that is left to its answer, at most. */
const FOR_ANSWER = 0.25;

/** The longest answer in tokens, reasoning included, where nobody has set one. */
export const DEFAULT_ANSWER_TOKENS = 4_096;

/**
 * How many tokens an answer may have, of a model that takes in `context` tokens: as many as are `set`, but no more than a
 * quarter of the context. The one rule for every way to ask.
 */
export const maxAnswerTokens = (context: number | undefined, set = DEFAULT_ANSWER_TOKENS): number =>
  context === undefined ? set : Math.max(1, Math.min(set, Math.floor(context * FOR_ANSWER)));

/**
 * The limit for a model that takes in `context` tokens, of which the question needs so many, where an answer may have `set`
 * tokens.
 */
export function within(
  limit: WindowLimit,
  context: number | undefined,
  question: number,
  set?: number,
): WindowLimit {
  if (context === undefined) return limit;
  const left = context - maxAnswerTokens(context, set) - question;
  return { ...limit, tokens: Math.max(0, Math.min(limit.tokens, left)) };
}

/** The newest turns with a quarter of the tokens, none if need be: for a model that could not take in all of them. */
export function quarter<T extends SizedTurn>(turns: readonly T[]): T[] {
  let left = turns.reduce((sum, turn) => sum + turn.tokens, 0) / 4;
  const first = turns.findLastIndex((turn) => (left -= turn.tokens) < 0);
  return turns.slice(first + 1);
}

function fits(turns: readonly SizedTurn[], limit: WindowLimit, share: number): boolean {
  const bytes = turns.reduce((sum, turn) => sum + turn.bytes, 0);
  const tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0);
  return bytes <= limit.bytes * share && tokens <= limit.tokens * share;
}
