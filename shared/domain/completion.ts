import * as v from 'valibot';

const shape = v.object({
  text: v.string(),
  model: v.string(),
  /** The server did not report the usage. */
  isUsageEstimated: v.optional(v.boolean()),
  usage: v.optional(
    v.object({
      promptTokens: v.number(),
      completionTokens: v.number(),
      reasoningTokens: v.number(),
      cachedTokens: v.number(),
    }),
  ),
});

/** The result of a request to a model: the text, the model that wrote it, and the token counts. */
export type Completion = Readonly<v.InferOutput<typeof shape>>;

/** Parses a completion that was stored as JSON. Throws if it is invalid. */
export const parseCompletion = (json: string): Completion => v.parse(shape, JSON.parse(json));
