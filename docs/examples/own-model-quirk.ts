import type { AdaptBody } from '../../shared/upstream/index.ts';

/** The models of this server whose requests differ. */
const QUIRKY = /^house\//u;

/** A server that knows `max_completion_tokens` only, and rejects any `temperature`. Other models stay as they are. */
export const useCompletionTokens: AdaptBody = (body, model) => {
  if (!QUIRKY.test(model)) return body;
  const { max_tokens: maxTokens, temperature: _, ...others } = body;
  return { ...others, max_completion_tokens: maxTokens };
};
