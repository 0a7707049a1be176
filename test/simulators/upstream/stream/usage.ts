import type { Completion, Counted } from '../chat/completion.ts';

/** `usage` of the current shape. Reasoning tokens lie within the completion tokens. */
export function currentUsage(counted: Counted): Record<string, unknown> {
  return {
    prompt_tokens: counted.prompt,
    completion_tokens: counted.completion,
    total_tokens: counted.prompt + counted.completion,
    reasoning_tokens: counted.reasoning,
    prompt_tokens_details: counted.cached > 0 ? { cached_tokens: counted.cached } : null,
    completion_tokens_details: { reasoning_tokens: counted.reasoning },
  };
}

/** `usage` of the legacy shape. */
export function legacyUsage({ prompt, completion }: Counted): Record<string, unknown> {
  return { input_tokens: prompt, output_tokens: completion };
}

export function weightVersion({ model }: Completion): string {
  return `${model.id}-sim-1`;
}
