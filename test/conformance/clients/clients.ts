import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { OpenRouter } from '@openrouter/sdk';
import { streamText } from 'ai';
import OpenAI from 'openai';
import { createUpstream } from '../../../shared/upstream/index.ts';
import type { UpstreamSimulator } from '../../simulators/upstream/index.ts';
import { TestTime } from '../../upstream/time.ts';

/** The `openai` client of the simulator. */
export function openai({ baseUrl, apiKey }: UpstreamSimulator, maxRetries = 0): OpenAI {
  return new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries, logLevel: 'off' });
}

/** The provider of the `ai` package for the simulator. */
export function compatible({ baseUrl, apiKey }: UpstreamSimulator) {
  return createOpenAICompatible({
    name: 'simulator',
    baseURL: `${baseUrl}/v1`,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
}

export function langchain({ baseUrl, apiKey }: UpstreamSimulator, model: string, maxRetries = 0): ChatOpenAI {
  return new ChatOpenAI({ model, apiKey, maxRetries, configuration: { baseURL: `${baseUrl}/v1` } });
}

function openrouter({ baseUrl, apiKey }: UpstreamSimulator): OpenRouter {
  return new OpenRouter({ serverURL: `${baseUrl}/v1`, apiKey, retryConfig: { strategy: 'none' } });
}

type RouterRequest = Parameters<OpenRouter['chat']['send']>[0]['chatRequest'];

/** A completion without streaming, read by the `openrouter` client. */
export async function whole(sim: UpstreamSimulator, request: RouterRequest) {
  const answer = await openrouter(sim).chat.send({ chatRequest: { ...request, stream: false } });
  if (!('choices' in answer)) throw new Error('The answer is a stream.');
  return answer;
}

/** A streamed completion, read by the `openrouter` client. */
export async function events(sim: UpstreamSimulator, request: RouterRequest) {
  const answer = await openrouter(sim).chat.send({ chatRequest: { ...request, stream: true } });
  if ('choices' in answer) throw new Error('The answer is no stream.');
  return answer;
}

/** Reads the streamed completion of `model` for `prompt` as its text. Rejects as the client does. */
export type ReadText = (sim: UpstreamSimulator, model: string, prompt: string) => Promise<string>;

const raw: ReadText = async (sim, model, prompt) => {
  const messages = [{ role: 'user' as const, content: prompt }];
  let text = '';
  for await (const chunk of await openai(sim).chat.completions.create({ model, messages, stream: true }))
    text += chunk.choices[0]?.delta.content ?? '';
  return text;
};

const helper: ReadText = async (sim, model, prompt) => {
  const messages = [{ role: 'user' as const, content: prompt }];
  const done = await openai(sim).chat.completions.stream({ model, messages }).finalChatCompletion();
  return done.choices[0]?.message.content ?? '';
};

const ai: ReadText = async (sim, model, prompt) => {
  const failures: unknown[] = [];
  const result = streamText({
    model: compatible(sim)(model),
    prompt,
    maxRetries: 0,
    onError: ({ error }) => {
      failures.push(error);
    },
  });
  let text = '';
  for await (const piece of result.textStream) text += piece;
  if (failures.length > 0) throw failures[0];
  return text;
};

const chain: ReadText = async (sim, model, prompt) => {
  let text = '';
  for await (const chunk of await langchain(sim, model).stream(prompt)) text += chunk.text;
  return text;
};

const router: ReadText = async (sim, model, prompt) => {
  const messages = [{ role: 'user' as const, content: prompt }];
  let text = '';
  for await (const chunk of await events(sim, { model, messages }))
    text += chunk.choices[0]?.delta.content ?? '';
  return text;
};

const own: ReadText = async ({ baseUrl, apiKey }, model, prompt) => {
  const upstream = createUpstream({
    baseUrl,
    apiKey: () => Promise.resolve(apiKey),
    time: new TestTime(),
    random: () => 0.5,
  });
  let text = '';
  try {
    const messages = [{ role: 'user', content: prompt }] as const;
    for await (const event of upstream.chat.stream({ model, messages }))
      if (event.type === 'text') text += event.text;
  } finally {
    await upstream.close();
  }
  return text;
};

/** Five third-party clients, and the project's own. */
export const CLIENTS: Readonly<Record<string, ReadText>> = {
  'openai, raw': raw,
  'openai, helper': helper,
  ai,
  langchain: chain,
  openrouter: router,
  'this project': own,
};
