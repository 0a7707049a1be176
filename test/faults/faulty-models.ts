import type { Time } from '../../shared/runtime/time.ts';
import {
  type ChatRequest,
  ConnectionError,
  StreamCutError,
  type ChatEvent,
  type Upstream,
} from '../../shared/upstream/index.ts';
import { type Asked, modelsOf, tokensIn } from '../soak/models.ts';
import type { Processes } from './processes.ts';
import { CallFailedError } from './steps.ts';
import { CREATE_ISSUE } from './faulty-tracker.ts';

/** More than the number of faults in a systematic schedule. */
const MAX_ATTEMPTS = 5;

/** The tools that are called, with their arguments. `about`: what the question names. */
const TOOLS: Readonly<Record<string, (about: string) => object>> = {
  [CREATE_ISSUE.modelName]: (about) => ({ title: about }),
  // A model repeats what stands for private data.
  web_search: (about) => ({ query: `${about} [card 1] [email 1]` }),
  remember: () => ({ fact: 'Likes short answers.' }),
  search_knowledge: () => ({ query: 'refunds kind' }),
  search_messages: () => ({ query: 'zebra' }),
};

/** A model request, and its API key. */
export type Request = Asked & { readonly key: string };

export type FaultyModelsOptions = {
  readonly time: Time;
  readonly processes: Processes;
  readonly onRequest: (request: Request) => void;
  /** Receives the messages of each request that reaches the models, as JSON. */
  readonly onPrompt: (messages: string) => void;
  /** Whether the models can call tools. */
  readonly hasTools: boolean;
};

/**
 * Models that answer every request that reaches them. Where tools are offered, they first call the tool of the tracker, or the web search, once
 * for the question. Each attempt and each piece of a stream is a point of the plan.
 */
export function faultyModels({
  time,
  processes,
  onRequest,
  onPrompt,
  hasTools,
}: FaultyModelsOptions): Upstream {
  let key = '';
  const upstream = modelsOf(time, (one) => onRequest({ ...one, key }));
  const listModels: Upstream['models']['list'] = async () => {
    const list = await upstream.models.list();
    return { ...list, models: list.models.map((one) => ({ ...one, features: ['tools'] })) };
  };
  return {
    ...upstream,
    models: hasTools ? { ...upstream.models, list: listModels } : upstream.models,
    chat: {
      ...upstream.chat,
      async *stream(request, options = {}) {
        const signal = options.signal ?? new AbortController().signal;
        // Retries a failed request as the client does.
        for (let attempt = 1; ; attempt += 1) {
          try {
            await options.beforeAttempt?.(attempt, signal);
            key = (await options.apiKey?.()) ?? '';
            const prompt = JSON.stringify(request.messages);
            await processes.call('request', () => onPrompt(prompt));
            break;
          } catch (error) {
            if (!(error instanceof CallFailedError)) throw error;
            if (attempt === MAX_ATTEMPTS) throw new ConnectionError('the models cannot be reached');
          }
        }
        const questionIndex = request.messages.findLastIndex(({ role }) => role === 'user');
        const messages = request.messages.slice(0, questionIndex + 1);
        const tool = toolOf(request);
        if (tool !== undefined) {
          yield toolCallFor(tool, messages);
          return;
        }
        let text = '';
        const events = upstream.chat.stream(
          { ...request, messages },
          { ...options, beforeAttempt: undefined },
        );
        for await (const event of events) {
          // What was streamed stays.
          if (text !== '') await processes.call('chunk', () => undefined).catch(cutAfter(text));
          if (event.type === 'text') text += event.text;
          yield* event.type === 'end' ? withCitation(event, request) : [event];
        }
      },
    },
  };
}

type End = Extract<ChatEvent, { type: 'end' }>;

/** The answer names the first source that a search returned. */
function* withCitation(end: End, { messages }: ChatRequest): Generator<ChatEvent> {
  const last = messages.at(-1);
  const hasSource = last?.role === 'tool' && last.content.includes('[1] ');
  if (hasSource) yield { type: 'text', text: CITATION };
  yield hasSource ? { ...end, text: end.text + CITATION } : end;
}

const CITATION = ' So it is written [1].';

/** Returns the tool that is called before the answer; undefined if it was called, or there is none. */
const toolOf = ({ tools = [], messages }: ChatRequest): string | undefined =>
  messages.at(-1)?.role === 'tool'
    ? undefined
    : Object.keys(TOOLS).find((name) => tools.some((tool) => tool.name === name));

/** The same call for the same question, also in a later attempt. */
function toolCallFor(name: string, messages: ChatRequest['messages']): ChatEvent {
  const text = tokensIn(JSON.stringify(messages.at(-1)) ?? '').join(' ');
  const args = JSON.stringify(TOOLS[name]?.(text) ?? {});
  return {
    type: 'end',
    text: '',
    reasoning: '',
    finish: 'tool_calls',
    toolCalls: [{ id: 'call-1', name, arguments: args }],
    model: 'model-a',
    omitted: [],
    streamed: true,
    usage: { promptTokens: 100, completionTokens: 12, reasoningTokens: 0, cachedTokens: 0 },
  };
}

const cutAfter =
  (partialText: string) =>
  (error: unknown): never => {
    throw error instanceof CallFailedError
      ? new StreamCutError('the stream broke off', { partialText })
      : error;
  };
