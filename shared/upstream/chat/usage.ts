import { asCount, isObject, asObject } from '../http/json.ts';
import type { Usage } from '../chat-types.ts';

/**
 * Parses the usage of either API shape. Reasoning tokens can be in two places. Undefined without counts: servers send
 * `usage: null` on all chunks but the last.
 */
export function parseUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = asCount(value['prompt_tokens']) ?? asCount(value['input_tokens']);
  const completion = asCount(value['completion_tokens']) ?? asCount(value['output_tokens']);
  if (prompt === undefined && completion === undefined) return undefined;
  const details = asObject(value['completion_tokens_details']);
  const cached = asCount(asObject(value['prompt_tokens_details'])?.['cached_tokens']) ?? 0;
  return {
    promptTokens: prompt ?? 0,
    completionTokens: completion ?? 0,
    reasoningTokens: asCount(value['reasoning_tokens']) ?? asCount(details?.['reasoning_tokens']) ?? 0,
    cachedTokens: Math.min(cached, prompt ?? 0),
  };
}
