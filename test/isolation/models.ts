import type { Upstream } from '../../shared/upstream/index.ts';
import { createUpstream } from '../../shared/upstream/index.ts';
import type { SimulatedTime } from './simulated-time.ts';
import { ACTOR, type Checker } from './check.ts';
import type { Actor, Audience } from './model.ts';

/** What the models are asked with, and by which key: held against who asked. */
export type Asked = { readonly key: string; readonly text: string };

/** Who sees what comes of what this actor does. */
export const audienceOf = ({ tenant, channel, conversation, user, secret }: Actor): Audience =>
  secret ? { kind: 'person', tenant, user } : { kind: 'conversation', tenant, channel, conversation };

/** Models that answer with a word of their own, and take every request down. */
export function modelsIn(
  time: SimulatedTime,
  checker: Checker,
  gate: () => Promise<void>,
  asked: (one: Asked) => void,
): Upstream {
  const real = createUpstream({
    baseUrl: 'https://models.example.com',
    apiKey: () => Promise.reject(new Error('nothing is sent')),
    time,
    random: () => 0.5,
  });
  /** Who asked any part of it, may have the answer as their own. */
  const answerTo = (question: unknown): string => {
    const actor = ACTOR.getStore();
    if (!actor) return 'Nothing.';
    const answer = `Answer ${checker.plant(audienceOf(actor), actor.user)}.`;
    for (const { owner } of checker.contentsIn(JSON.stringify(question) ?? '')) checker.quote(answer, owner);
    return answer;
  };
  const take = async (
    messages: unknown,
    options: Parameters<Upstream['chat']['stream']>[1] = {},
  ): Promise<void> => {
    await options.beforeAttempt?.(1, options.signal ?? new AbortController().signal);
    await gate();
    asked({ key: (await options.apiKey?.()) ?? '', text: JSON.stringify(messages) });
  };
  return {
    ...real,
    models: { ...real.models, list: async () => ({ models: MODELS, at: time.now() }) },
    chat: {
      ...real.chat,
      async *stream({ messages, responseFormat }, options) {
        await take(messages, options);
        const text =
          responseFormat === undefined
            ? answerTo(messages.at(-1))
            : JSON.stringify({ note: answerTo(messages.at(-1)) });
        yield { type: 'text', text };
        await gate();
        yield { type: 'end', ...completion(text) };
      },
      structured: async ({ messages }, options) => {
        await take(messages, options);
        return { value: { questions: [answerTo(messages.at(-1))] }, completions: [] };
      },
    },
  };
}

const price = { prompt: '0.00001', completion: '0.00002' };
const MODELS = ['model-a', 'model-b'].map((id) => ({
  id,
  ready: true,
  contextLength: 32_000,
  inputModalities: ['text', 'image'],
  features: ['reasoning'],
  pricing: price,
}));

const completion = (text: string) => ({
  text,
  reasoning: '',
  finish: 'stop',
  toolCalls: [],
  model: 'model-a',
  omitted: [],
  streamed: true,
  usage: { promptTokens: 100, completionTokens: 20, reasoningTokens: 0, cachedTokens: 0 },
});
