import { BadRequestError } from '../errors.ts';
import { isObject, parseJson } from '../http/json.ts';
import { pairToolMessages } from './pair-tool-messages.ts';
import { addJsonInstruction } from '../json-prompt.ts';
import { EMPTY_PARAMETERS, type ModelRequest, type WireRequest, removeUndefined } from './request.ts';
import type { ChatRequest, ContentPart, Message, ToolCall } from '../chat-types.ts';

/** Request fields that the legacy shape does not have. */
const UNSUPPORTED_FIELDS = {
  minP: 'min_p',
  repetitionPenalty: 'repetition_penalty',
  logitBias: 'logit_bias',
  reasoningEffort: 'reasoning_effort',
  logprobs: 'logprobs',
  topLogprobs: 'top_logprobs',
  n: 'n',
} as const satisfies Partial<Record<keyof ChatRequest, string>>;

/**
 * Builds the body of the legacy shape: flat tools, arguments as an object, `stop` as a list, `required` as `tool`, and no
 * system role (system text is put before the first user message). Throws BadRequestError for media other than images.
 * Responses of this shape are parsed by the same code as those of the current shape.
 */
export function buildLegacyBody(request: ModelRequest, stream: boolean): WireRequest {
  const omitted: string[] = [];
  for (const [field, name] of Object.entries(UNSUPPORTED_FIELDS)) {
    if (Object.hasOwn(request, field) && Reflect.get(request, field) !== undefined) omitted.push(name);
  }
  let { messages } = request;
  if (request.responseFormat !== undefined && request.responseFormat.type !== 'text') {
    omitted.push('response_format');
    messages = addJsonInstruction(messages, request.responseFormat);
  }
  const tools = request.tools !== undefined && request.tools.length > 0 ? request.tools : undefined;
  const body = removeUndefined({
    ...request.extra,
    model: request.model,
    messages: mergeSystemMessages(pairToolMessages(messages)).map(toWireMessage),
    tools: tools?.map(({ name, description, parameters }) =>
      removeUndefined({ name, description, parameters: parameters ?? EMPTY_PARAMETERS }),
    ),
    tool_choice: tools === undefined ? undefined : toToolChoice(request.toolChoice),
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

function toToolChoice(choice: ChatRequest['toolChoice']): string | undefined {
  return choice === 'required' ? 'tool' : choice;
}

/** Puts the system text before the first user message, or into a user message of its own when there is none. */
function mergeSystemMessages(messages: readonly Message[]): Message[] {
  const system: ContentPart[] = [];
  const rest: Message[] = [];
  for (const message of messages) {
    if (message.role !== 'system') rest.push(message);
    else system.push(...toParts(message.content));
  }
  if (system.length === 0) return rest;
  const firstUserIndex = rest.findIndex(({ role }) => role === 'user');
  const firstUserMessage = rest[firstUserIndex];
  if (firstUserMessage === undefined || firstUserMessage.role !== 'user')
    return [{ role: 'user', content: joinTextParts(system) }, ...rest];
  rest[firstUserIndex] = {
    role: 'user',
    content: joinTextParts([...system, ...toParts(firstUserMessage.content)]),
  };
  return rest;
}

function toParts(content: string | readonly ContentPart[]): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Joins parts into one string when all of them are text. */
function joinTextParts(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n\n') : parts;
}

function toWireMessage(message: Message): object {
  switch (message.role) {
    case 'system':
    case 'user':
      return {
        role: 'user',
        content: typeof message.content === 'string' ? message.content : message.content.map(toWirePart),
      };
    case 'assistant': {
      const calls = message.toolCalls ?? [];
      return removeUndefined({
        role: 'assistant',
        content: message.content === '' && calls.length > 0 ? null : message.content,
        tool_calls: calls.length > 0 ? calls.map(toWireToolCall) : undefined,
      });
    }
    case 'tool':
      return { role: 'tool', content: message.content, tool_call_id: message.toolCallId };
  }
}

function toWirePart(part: ContentPart): object {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image') return { type: 'image_url', image_url: part.url };
  throw new BadRequestError(`The legacy shape does not support ${part.type}.`, {
    code: 'unsupported_modality',
    param: 'messages',
  });
}

/** Arguments that are not a JSON object are sent as `{ arguments: text }`, so that nothing is lost. */
function toWireToolCall({ id, name, arguments: text }: ToolCall): object {
  const parameters = parseJson(text);
  return { id, name, parameters: isObject(parameters) ? parameters : { arguments: text } };
}
