import { countOf, isObject, objectOf } from '../http/json.ts';
import type { Usage } from './types.ts';

/**
 * Reads usage of either shape. Reasoning tokens stand in one of two places. Undefined when there are no counts; servers
 * send `usage: null` on all chunks but the last.
 */
export function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = countOf(value['prompt_tokens']) ?? countOf(value['input_tokens']);
  const completion = countOf(value['completion_tokens']) ?? countOf(value['output_tokens']);
  if (prompt === undefined && completion === undefined) return undefined;
  const details = objectOf(value['completion_tokens_details']);
  const cached = countOf(objectOf(value['prompt_tokens_details'])?.['cached_tokens']) ?? 0;
  return {
    promptTokens: prompt ?? 0,
    completionTokens: completion ?? 0,
    reasoningTokens: countOf(value['reasoning_tokens']) ?? countOf(details?.['reasoning_tokens']) ?? 0,
    cachedTokens: Math.min(cached, prompt ?? 0),
  };
}
