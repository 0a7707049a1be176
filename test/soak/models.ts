import type { Time } from '../../shared/runtime/time.ts';
import { createUpstream, type Upstream } from '../../shared/upstream/index.ts';

/** The identity of a question in prompts and answers: its thread, its number there, and its number of edits. */
export const tokenOf = (thread: number, nth: number, edits: number): string => `q${thread}x${nth}x${edits}q`;
const TOKEN = /q\d+x\d+x\d+q/gu;
export const tokensIn = (text: string): readonly string[] => text.match(TOKEN) ?? [];

/** One model request. */
export type Asked = { readonly question: readonly string[]; readonly prompt: readonly string[] };

const PIECES = 6;
const PIECE_MS = 700;
const WORDS = ' so it is said, and so it is written down for those who ask the same another day.';

/** A question that waits to be answered again by itself is part of the history of another question. */
const withoutContext = (message: string): string => {
  const [first = '', ...rest] = message.split(String.raw`\n\n`);
  return first.includes('Said in this thread before you were called:') ? rest.join(' ') : message;
};

/** A model that answers with the identity of the question, over some seconds. */
export function modelsOf(time: Time, onRequest: (one: Asked) => void): Upstream {
  const real = createUpstream({
    baseUrl: 'https://models.example.com',
    apiKey: () => Promise.reject(new Error('nothing is sent')),
    time,
    random: () => 0.5,
  });
  const pricing = { prompt: '0.00001', completion: '0.00002' };
  const model = {
    id: 'model-a',
    ready: true,
    contextLength: 32_000,
    inputModalities: ['text'],
    features: [],
    pricing,
  };
  return {
    ...real,
    models: {
      ...real.models,
      list: async () => ({
        models: [{ ...model, inputModalities: ['text'], features: [] }],
        fetchedAt: time.now(),
      }),
    },
    chat: {
      ...real.chat,
      async *stream({ messages }, options = {}) {
        const signal = options.signal ?? new AbortController().signal;
        await options.beforeAttempt?.(1, signal);
        const question = tokensIn(withoutContext(JSON.stringify(messages.at(-1)) ?? ''));
        onRequest({ question, prompt: tokensIn(JSON.stringify(messages)) });
        let text = '';
        const pieces = [
          `Answer to ${question.join(' and ')}:`,
          ...Array.from({ length: PIECES }, () => WORDS),
        ];
        for (const piece of pieces) {
          await time.sleep(PIECE_MS, signal);
          text += piece;
          yield { type: 'text', text: piece };
        }
        yield {
          type: 'end',
          text,
          reasoning: '',
          finish: 'stop',
          toolCalls: [],
          model: 'model-a',
          omitted: [],
          streamed: true,
          usage: { promptTokens: 100, completionTokens: 120, reasoningTokens: 0, cachedTokens: 0 },
        };
      },
    },
  };
}
