import type { Upstream } from '../../shared/upstream/index.ts';
import { createUpstream, MalformedAnswerError } from '../../shared/upstream/index.ts';
import type { SimulatedTime } from './simulated-time.ts';
import { ACTOR, type AccessChecker } from './access-checker.ts';
import { speechIn } from './speech.ts';
import type { Actor, Audience } from './access-model.ts';

/** A request to the models and its API key, compared with the person who asked. */
export type Asked = {
  readonly key: string;
  readonly text: string;
  readonly maxTokens?: number | undefined;
  /** The results of the search of messages. */
  readonly foundTexts?: string | undefined;
};

/** The audience of what this actor causes. */
export const audienceOf = ({ tenant, channel, conversation, user, secret }: Actor): Audience =>
  secret ? { kind: 'person', tenant, user } : { kind: 'conversation', tenant, channel, conversation };

/** Models that answer with a marker of their own, and record every request. */
export function modelsIn(
  time: SimulatedTime,
  checker: AccessChecker,
  gate: () => Promise<void>,
  random: () => number,
  onRequest: (one: Asked) => void,
  argumentsFor: (tool: string) => object | undefined = () => undefined,
): Upstream {
  const real = createUpstream({
    baseUrl: 'https://models.example.com',
    apiKey: () => Promise.reject(new Error('nothing is sent')),
    time,
    random: () => 0.5,
  });
  /** Plants an answer that everybody who wrote a part of the question may export. */
  const answerTo = (question: unknown): string => {
    const actor = ACTOR.getStore();
    if (!actor) return 'Nothing.';
    const texts = checker.contentsIn(JSON.stringify(question) ?? '');
    // A forged control may regenerate any answer of the channel, which stays part of its conversation.
    const content = actor.operation.includes('forged')
      ? texts.find(({ audience }) => audience.kind === 'conversation')
      : undefined;
    const answer = `Answer ${checker.plant(content?.audience ?? audienceOf(actor), actor.user)}.`;
    for (const { owner } of texts) checker.quote(answer, owner);
    return answer;
  };
  const take = async (
    messages: unknown,
    options: Parameters<Upstream['chat']['stream']>[1] = {},
    maxTokens?: number,
    foundTexts?: string,
  ): Promise<void> => {
    await options.beforeAttempt?.(1, options.signal ?? new AbortController().signal);
    await gate();
    onRequest({
      key: (await options.apiKey?.()) ?? '',
      text: JSON.stringify(messages),
      maxTokens,
      foundTexts,
    });
  };
  return {
    ...real,
    models: { ...real.models, list: async () => ({ models: MODELS, fetchedAt: time.now() }) },
    speech: speechIn(take),
    chat: {
      ...real.chat,
      async *stream({ messages, responseFormat, maxTokens, tools = [], toolChoice }, options) {
        await take(messages, options, maxTokens, foundIn(messages));
        const tool = tools.find(
          ({ name }) => (name in ARGUMENTS || name.includes('__')) && random() < TOOL_SHARE,
        );
        // Each round of tools has a message of its own.
        if (tool && toolChoice !== 'none' && messages.at(-1)?.role !== 'tool') {
          const args = ARGUMENTS[tool.name] ?? argumentsFor(tool.name);
          const call = { id: 'call-1', name: tool.name, arguments: JSON.stringify(args) };
          yield { type: 'end', ...completion(''), finish: 'tool_calls', toolCalls: [call] };
          return;
        }
        // The last message may be the result of a tool, which does not say who asked.
        const question = messages.findLast(({ role }) => role === 'user');
        const answer = answerTo(question);
        const text = responseFormat === undefined ? answer : JSON.stringify({ note: answer });
        yield { type: 'text', text };
        await gate();
        yield { type: 'end', ...completion(text) };
      },
      // No questions are suggested: a forged button with one may bring its text anywhere, as typing the text would.
      structured: async ({ messages }, options) => {
        await take(messages, options);
        const partialText = answerTo(messages.at(-1));
        throw new MalformedAnswerError('The answer does not fit the schema', { code: 'schema', partialText });
      },
    },
  };
}

type Messages = Parameters<Upstream['chat']['stream']>[0]['messages'];

/** The results of the search of messages in a request. */
function foundIn(messages: Messages): string {
  let last = '';
  return messages
    .flatMap((message) => {
      if (message.role === 'assistant') last = message.toolCalls?.[0]?.name ?? last;
      return message.role === 'tool' && last === 'search_messages' ? [message.content] : [];
    })
    .join('\n');
}

/** How often an offered tool is called, and with which arguments. The words occur in most questions. */
const TOOL_SHARE = 0.5;
const ARGUMENTS: Readonly<Record<string, object>> = {
  search_thread: { query: 'what about' },
  search_messages: { query: 'what about' },
  search_knowledge: { query: 'manual notes what about' },
  start_video: { prompt: 'It moves.' },
  transcribe: {},
};

const price = { prompt: '0.00001', completion: '0.00002' };
const MODELS = ['model-a', 'model-b'].map((id) => ({
  id,
  ready: true,
  contextLength: 32_000,
  inputModalities: ['text', 'image'],
  features: ['reasoning', 'tools'],
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
