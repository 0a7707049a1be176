import { BadRequestError } from '../errors.ts';
import { isObject, parseJson } from '../http/json.ts';
import { pairToolMessages } from './history.ts';
import { askInWords } from './structured/json-in-words.ts';
import { NO_ARGUMENTS, type WireRequest, withoutUndefined } from './request.ts';
import type { ChatRequest, ContentPart, Message, ToolCall } from './types.ts';

/** Fields that the legacy shape has no word for. */
const LACKING = {
  minP: 'min_p',
  repetitionPenalty: 'repetition_penalty',
  logitBias: 'logit_bias',
  reasoningEffort: 'reasoning_effort',
  logprobs: 'logprobs',
  topLogprobs: 'top_logprobs',
} as const satisfies Partial<Record<keyof ChatRequest, string>>;

/**
 * The body of the legacy shape: flat tools, arguments as an object, `stop` as a list, `required` as `tool`, and no
 * system role (its words go before those of the first user message). Throws BadRequestError for media other than
 * pictures. Answers of this shape are read by the same code as the current one's.
 */
export function legacyBody(
  request: ChatRequest & { readonly maxTokens: number },
  stream: boolean,
): WireRequest {
  const omitted: string[] = [];
  for (const [field, name] of Object.entries(LACKING)) {
    if (Object.hasOwn(request, field) && Reflect.get(request, field) !== undefined) omitted.push(name);
  }
  let { messages } = request;
  if (request.responseFormat !== undefined && request.responseFormat.type !== 'text') {
    omitted.push('response_format');
    if (request.responseFormat.type === 'json_schema')
      messages = askInWords(messages, request.responseFormat);
  }
  const tools = request.tools !== undefined && request.tools.length > 0 ? request.tools : undefined;
  const body = withoutUndefined({
    ...request.extra,
    model: request.model,
    messages: foldSystem(pairToolMessages(messages)).map(wireMessage),
    tools: tools?.map(({ name, description, parameters }) =>
      withoutUndefined({ name, description, parameters: parameters ?? NO_ARGUMENTS }),
    ),
    tool_choice: tools === undefined ? undefined : choiceOf(request.toolChoice),
    max_tokens: request.maxTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    stop: typeof request.stop === 'string' ? [request.stop] : request.stop,
    seed: request.seed,
    stream,
  });
  return { body, omitted };
}

function choiceOf(choice: ChatRequest['toolChoice']): string | undefined {
  return choice === 'required' ? 'tool' : choice;
}

/** The system's words, before those of the first user message; a message of their own where there is none. */
function foldSystem(messages: readonly Message[]): Message[] {
  const system: ContentPart[] = [];
  const rest: Message[] = [];
  for (const message of messages) {
    if (message.role !== 'system') rest.push(message);
    else system.push(...partsOf(message.content));
  }
  if (system.length === 0) return rest;
  const at = rest.findIndex(({ role }) => role === 'user');
  const first = rest[at];
  if (first === undefined || first.role !== 'user')
    return [{ role: 'user', content: joined(system) }, ...rest];
  rest[at] = { role: 'user', content: joined([...system, ...partsOf(first.content)]) };
  return rest;
}

function partsOf(content: string | readonly ContentPart[]): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Parts that are all text, as one string. */
function joined(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n\n') : parts;
}

function wireMessage(message: Message): object {
  switch (message.role) {
    case 'system':
    case 'user':
      return {
        role: 'user',
        content: typeof message.content === 'string' ? message.content : message.content.map(wirePart),
      };
    case 'assistant': {
      const calls = message.toolCalls ?? [];
      return withoutUndefined({
        role: 'assistant',
        content: message.content,
        tool_calls: calls.length > 0 ? calls.map(wireCall) : undefined,
      });
    }
    case 'tool':
      return { role: 'tool', content: message.content, tool_call_id: message.toolCallId };
  }
}

function wirePart(part: ContentPart): object {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image') return { type: 'image_url', image_url: part.url };
  throw new BadRequestError(`The legacy shape takes no ${part.type}.`, {
    code: 'unsupported_modality',
    param: 'messages',
  });
}

/** Arguments that are no JSON object are kept, under the name of what they are. */
function wireCall({ id, name, arguments: text }: ToolCall): object {
  const parameters = parseJson(text);
  return { id, name, parameters: isObject(parameters) ? parameters : { arguments: text } };
}
