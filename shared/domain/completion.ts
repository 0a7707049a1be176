import * as v from 'valibot';

const count = v.optional(v.number());

/** Validates stored `MaskedCounts`. */
export const maskedCountsSchema = v.object({
  card: count,
  key: count,
  email: count,
  phone: count,
  iban: count,
  custom: count,
  media: count,
});

const shape = v.object({
  text: v.string(),
  model: v.string(),
  /** The server did not report the usage. */
  isUsageEstimated: v.optional(v.boolean()),
  /** The private data that was masked in the prompt. */
  masked: v.optional(maskedCountsSchema),
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
