import type { Chat, ChatOptions } from '../ports/index.ts';
import { maskJson, maskPrompt, type Placeholders, type PrivateDataFilter } from '../private-data/index.ts';
import type { JsonSchema } from '../upstream/index.ts';
import { isRecord } from '../utils/index.ts';

/**
 * Returns a model client that masks private data in everything that people and tools wrote. This is the one border that every request for the
 * models passes.
 */
export function createMaskingChat(chat: Chat, filter: PrivateDataFilter): Chat {
  return {
    model: chat.model,
    stream: (prompt, options) => {
      const { messages, placeholders } = maskPrompt(prompt, filter);
      // Counted before the options are masked: what is masked in descriptions of tools is not reported.
      reportMasked(placeholders, options);
      return chat.stream(messages, maskOptions(options, placeholders));
    },
    suggestQuestions: (prompt, options) => {
      const { messages, placeholders } = maskPrompt(prompt, filter);
      reportMasked(placeholders, options);
      return chat.suggestQuestions(messages, options);
    },
    listModels: () => chat.listModels(),
    modelFacts: (id) => chat.modelFacts(id),
  };
}

/** Masks the descriptions of tools, which may have names of files, and the schema of a form. */
function maskOptions(options: ChatOptions, placeholders: Placeholders): ChatOptions {
  const { tools, format } = options;
  const maskSchema = (schema: JsonSchema): JsonSchema => {
    const masked = maskJson(schema, placeholders);
    return isRecord(masked) ? masked : schema;
  };
  return {
    ...options,
    ...(tools && {
      tools: tools.map(({ description, parameters, ...tool }) => ({
        ...tool,
        ...(description !== undefined && { description: placeholders.mask(description) }),
        ...(parameters && { parameters: maskSchema(parameters) }),
      })),
    }),
    ...(format && { format: { ...format, schema: maskSchema(format.schema) } }),
  };
}

function reportMasked({ counts }: Placeholders, { onMasked }: Pick<ChatOptions, 'onMasked'>): void {
  if (Object.keys(counts).length > 0) onMasked?.(counts);
}
