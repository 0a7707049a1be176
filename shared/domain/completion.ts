import * as v from 'valibot';

const shape = v.object({
  text: v.string(),
  model: v.string(),
  usage: v.optional(
    v.object({
      promptTokens: v.number(),
      completionTokens: v.number(),
      reasoningTokens: v.number(),
      cachedTokens: v.number(),
    }),
  ),
});

/** What a request to a model came to: its words, the model that wrote them, and what it counted. */
export type Completion = Readonly<v.InferOutput<typeof shape>>;

/** Reads a completion that was kept as JSON. Throws for anything else. */
export const readCompletion = (json: string): Completion => v.parse(shape, JSON.parse(json));
