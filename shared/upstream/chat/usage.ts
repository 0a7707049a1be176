import { asArray, asCount, isObject, type JsonObject, asObject } from '../http/json.ts';
import type { Usage } from '../chat-types.ts';

/**
 * Parses the usage of either API shape. Reasoning tokens can be in two places, and so can cached ones. Undefined without counts: servers send
 * `usage: null` on all chunks but the last. Gemini and Grok count reasoning in the total only, and charge for it as for the rest
 * of the completion. Zeros are no counts: a prompt always has tokens, and some servers and gateways send them in streams.
 */
export function parseUsage(value: unknown): Usage | undefined {
  const usage = parseCounts(value);
  return usage && usage.promptTokens + usage.completionTokens > 0 ? usage : undefined;
}

function parseCounts(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = asCount(value['prompt_tokens']) ?? asCount(value['input_tokens']);
  const completion = asCount(value['completion_tokens']) ?? asCount(value['output_tokens']);
  if (prompt === undefined && completion === undefined) return undefined;
  const details = asObject(value['completion_tokens_details']);
  const counted = asCount(value['reasoning_tokens']) ?? asCount(details?.['reasoning_tokens']) ?? 0;
  const beyond = Math.max(
    0,
    (asCount(value['total_tokens']) ?? 0) - (prompt ?? Infinity) - (completion ?? Infinity),
  );
  // Gateways in front of Anthropic may count these tokens of the prompt in the total only, too.
  const cacheRead = asCount(value['cache_read_input_tokens']) ?? 0;
  const outside = Math.min(beyond, cacheRead + (asCount(value['cache_creation_input_tokens']) ?? 0));
  const excess = beyond - outside;
  const uncounted = counted > 0 ? Math.min(counted, excess) : excess;
  const promptTokens = (prompt ?? 0) + outside;
  const cached = asCount(asObject(value['prompt_tokens_details'])?.['cached_tokens']) ?? 0;
  return {
    promptTokens,
    completionTokens: (completion ?? 0) + uncounted,
    reasoningTokens: Math.max(counted, uncounted),
    cachedTokens: Math.min(Math.max(cached, Math.min(cacheRead, outside)), promptTokens),
  };
}

/** Returns the usage of a chunk: at its top, or where Groq (`x_groq`) and Moonshot (the first choice) send it. */
export const findUsage = (chunk: JsonObject): Usage | undefined =>
  parseUsage(chunk['usage']) ??
  parseUsage(asObject(chunk['x_groq'])?.['usage']) ??
  parseUsage(asObject(asArray(chunk['choices'])[0])?.['usage']);
