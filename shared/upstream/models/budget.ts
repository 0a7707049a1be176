import type { Model } from './model.ts';

/** Estimates are off by so much even when calibrated. */
const SAFETY = 1.05;
const MARGIN = 64;
/** An answer with less room than this is not worth asking for: the history has to be trimmed. */
export const MIN_OUTPUT = 256;

/** How many tokens the answer may have. */
export type OutputBudget =
  | { readonly kind: 'room'; readonly maxTokens: number }
  /** The prompt is about so many tokens too long. */
  | { readonly kind: 'full'; readonly excess: number };

/**
 * `max_tokens` for a prompt of about `promptTokens`: at most what is wanted, what the model can write, and what its
 * context leaves. A model that names no lengths bounds nothing.
 */
export function outputBudget(
  wanted: number,
  promptTokens: number,
  model: Pick<Model, 'contextLength' | 'maxOutputLength'>,
): OutputBudget {
  const most = Math.min(wanted, model.maxOutputLength ?? Infinity);
  if (model.contextLength === undefined) return { kind: 'room', maxTokens: most };
  const left = Math.floor(model.contextLength - promptTokens * SAFETY - MARGIN);
  const least = Math.min(MIN_OUTPUT, most);
  return left < least
    ? { kind: 'full', excess: least - left }
    : { kind: 'room', maxTokens: Math.min(most, left) };
}
