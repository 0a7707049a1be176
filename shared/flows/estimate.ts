import { estimateTokens, type PromptMessage, type Usage } from '../conversation/index.ts';

/** What a picture counts as in a prompt, by estimate. */
const PER_PICTURE = 1_000;

type Estimated = { readonly prompt: readonly PromptMessage[]; readonly maxTokens: number };

/** The most that the call can come to: its prompt by estimate, and the longest answer. */
export function estimateOf({ prompt, maxTokens }: Estimated): Usage {
  const promptTokens = prompt.reduce((sum, { content }) => {
    if (typeof content === 'string') return sum + estimateTokens(content);
    return content.reduce(
      (total, part) => total + (part.type === 'text' ? estimateTokens(part.text) : PER_PICTURE),
      sum,
    );
  }, 0);
  return { promptTokens, completionTokens: maxTokens, reasoningTokens: 0, cachedTokens: 0 };
}

/** How many pictures a prompt holds. */
export const picturesIn = (prompt: readonly PromptMessage[]): number =>
  prompt.reduce(
    (sum, { content }) =>
      sum + (typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image').length),
    0,
  );
