import type { Chat } from '../../shared/ports/index.ts';

/** Of a model that only streams: it lists no models, and suggests no questions. */
export const streamsOnly: Omit<Chat, 'stream'> = {
  model: undefined,
  suggestQuestions: () => Promise.resolve([]),
  modelFacts: () => Promise.resolve({ tools: false, modelsWithImages: [] }),
  listModels: () => Promise.resolve([]),
};
