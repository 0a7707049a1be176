import type { Model } from './model.ts';

/** Margin for the error of calibrated estimates. */
const SAFETY_FACTOR = 1.05;
const MARGIN_TOKENS = 64;
/** The smallest useful output budget, in tokens. With less, the caller has to shorten the history. */
const MIN_OUTPUT_TOKENS = 256;

/** The number of tokens that the answer may have. */
export type OutputBudget =
  | { readonly kind: 'room'; readonly maxTokens: number }
  /** The prompt is too long by about this many tokens. */
  | { readonly kind: 'full'; readonly excess: number };

/**
 * Calculates `max_tokens` for a prompt of about `promptTokens`: the smallest of the wanted number, the model's maximum and
 * the rest of its context. A model without known lengths sets no bound.
 */
export function calculateOutputBudget(
  requestedTokens: number,
  promptTokens: number,
  model: Pick<Model, 'contextLength' | 'maxOutputLength'>,
): OutputBudget {
  const maxTokens = Math.min(requestedTokens, model.maxOutputLength ?? Infinity);
  if (model.contextLength === undefined) return { kind: 'room', maxTokens };
  const remaining = Math.floor(model.contextLength - promptTokens * SAFETY_FACTOR - MARGIN_TOKENS);
  const minTokens = Math.min(MIN_OUTPUT_TOKENS, maxTokens);
  return remaining < minTokens
    ? { kind: 'full', excess: minTokens - remaining }
    : { kind: 'room', maxTokens: Math.min(maxTokens, remaining) };
}
