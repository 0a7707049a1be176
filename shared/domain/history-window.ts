/** A stored turn, with the cost of reading it. */
export type SizedTurn = { readonly bytes: number; readonly tokens: number };

/** The maximum history in a prompt. `bytes` as stored, `tokens` as estimated. */
export type WindowLimit = { readonly bytes: number; readonly tokens: number };

/** The share of the limit that remains after a trim: so low that the next trim is several turns away. */
const TRIM_TARGET_SHARE = 0.6;

/**
 * Selects the turns for the next prompt, oldest first. While all fit, none is dropped: every prompt then begins
 * with the previous prompt, and the upstream's prompt cache hits. When they no longer fit, the oldest are
 * dropped together, down to TRIM_TARGET_SHARE of the limit. The newest turn always stays.
 */
export function trimHistory<T extends SizedTurn>(turns: readonly T[], limit: WindowLimit): T[] {
  if (fits(turns, limit, 1)) return [...turns];
  let first = Math.max(0, turns.length - 1);
  while (first > 0 && fits(turns.slice(first - 1), limit, TRIM_TARGET_SHARE)) first -= 1;
  return turns.slice(first);
}

/** The maximum share of a model's context that an answer may take. */
const MAX_ANSWER_SHARE = 0.25;

/** The default maximum length of an answer in tokens, reasoning included. */
export const DEFAULT_ANSWER_TOKENS = 4_096;

/**
 * Returns the maximum number of tokens of an answer, for a model with a context of `context` tokens: `set`, but
 * at most a quarter of the context. All requests use this rule.
 */
export const getMaxAnswerTokens = (context: number | undefined, set = DEFAULT_ANSWER_TOKENS): number =>
  context === undefined ? set : Math.max(1, Math.min(set, Math.floor(context * MAX_ANSWER_SHARE)));

/**
 * Returns the window limit for a model with a context of `context` tokens, when the question takes `question`
 * tokens and the answer may take `set`.
 */
export function fitWindowToModel(
  limit: WindowLimit,
  context: number | undefined,
  question: number,
  set?: number,
): WindowLimit {
  if (context === undefined) return limit;
  const left = context - getMaxAnswerTokens(context, set) - question;
  return { ...limit, tokens: Math.max(0, Math.min(limit.tokens, left)) };
}

/**
 * Returns the newest turns with at most a quarter of the tokens, perhaps none. Used when a model rejected the
 * prompt as too long.
 */
export function takeNewestQuarter<T extends SizedTurn>(turns: readonly T[]): T[] {
  let left = turns.reduce((sum, turn) => sum + turn.tokens, 0) / 4;
  const first = turns.findLastIndex((turn) => (left -= turn.tokens) < 0);
  return turns.slice(first + 1);
}

function fits(turns: readonly SizedTurn[], limit: WindowLimit, share: number): boolean {
  const bytes = turns.reduce((sum, turn) => sum + turn.bytes, 0);
  const tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0);
  return bytes <= limit.bytes * share && tokens <= limit.tokens * share;
}
