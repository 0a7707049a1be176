/**
 * Returns how sure the model was of an answer: the geometric mean of the probabilities of its tokens, 0 to 1. Undefined
 * without tokens.
 */
export function confidenceOf(tokens: readonly { readonly logprob: number }[] = []): number | undefined {
  if (tokens.length === 0) return undefined;
  const sum = tokens.reduce((total, { logprob }) => total + logprob, 0);
  return Math.round(Math.exp(sum / tokens.length) * 1_000) / 1_000;
}
