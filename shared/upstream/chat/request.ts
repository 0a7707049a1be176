import { pairToolMessages } from './pair-tool-messages.ts';
import type {
  ChatRequest,
  ContentPart,
  JsonSchema,
  Message,
  ResponseFormat,
  Tool,
  ToolCall,
} from '../chat-types.ts';

/** A request body, and the request fields that were left out of it. */
export type WireRequest = {
  readonly body: Readonly<Record<string, unknown>>;
  readonly omitted: readonly string[];
};

/** A request for one model. */
export type ModelRequest = ChatRequest & {
  readonly maxTokens: number;
  /** Whether the model gets its reasoning back with the results of its calls. */
  readonly returnsReasoning?: boolean | undefined;
};

/** The schema of a tool without arguments. */
export const EMPTY_PARAMETERS: JsonSchema = { type: 'object', properties: {} };

/**
 * Builds the body of the current shape. `max_tokens` is always sent because a model's default is unknown. Streams
 * request usage, which some servers send only then. `tool_choice` is sent only with tools.
 */
export function buildBody(request: ModelRequest, stream: boolean): WireRequest {
  const tools =
    request.tools !== undefined && request.tools.length > 0 ? request.tools.map(toWireTool) : undefined;
  const body = removeUndefined({
    ...request.extra,
    model: request.model,
    messages: pairToolMessages(request.messages).map((message) => toWireMessage(message, request)),
    tools,
    tool_choice: tools === undefined ? undefined : request.toolChoice,
    max_tokens: request.maxTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    min_p: request.minP,
    repetition_penalty: request.repetitionPenalty,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    logit_bias: request.logitBias,
    reasoning_effort: request.reasoningEffort,
    stop: request.stop,
    response_format: request.responseFormat === undefined ? undefined : toWireFormat(request.responseFormat),
    logprobs: request.logprobs,
    top_logprobs: request.logprobs === true ? request.topLogprobs : undefined,
    seed: request.seed,
    n: request.n === 1 ? undefined : request.n,
    stream,
    stream_options: stream ? { include_usage: true } : undefined,
  });
  return { body, omitted: [] };
}

/** JSON drops undefined fields, but tests and logs that compare bodies do not. */
export function removeUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function toWireMessage(message: Message, request: ModelRequest): object {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: toWireContent(message.content) };
    case 'assistant':
      return toWireAnswer(message, request);
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
}

function toWireAnswer(
  { content, toolCalls = [], origin }: Extract<Message, { role: 'assistant' }>,
  { model, returnsReasoning }: ModelRequest,
): object {
  if (toolCalls.length === 0) return { role: 'assistant', content };
  const isOwn = origin?.model === model;
  return removeUndefined({
    role: 'assistant',
    // Some servers reject empty text.
    content: content === '' ? null : content,
    reasoning_content: isOwn && returnsReasoning === true ? origin.reasoning : undefined,
    reasoning_details: isOwn ? origin.details : undefined,
    tool_calls: toolCalls.map(({ extra, ...call }) => ({ ...(isOwn && extra), ...toWireToolCall(call) })),
  });
}

function toWireContent(content: string | readonly ContentPart[]): unknown {
  return typeof content === 'string' ? content : content.map(toWirePart);
}

function toWirePart(part: ContentPart): object {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image_url', image_url: { url: part.url } };
    case 'video':
      return { type: 'video_url', video_url: { url: part.url } };
    case 'audio':
      return { type: 'audio_url', audio_url: { url: part.url } };
    case 'input-audio':
      return { type: 'input_audio', input_audio: { data: part.base64, format: part.format } };
  }
}

function toWireToolCall({ id, name, arguments: text }: ToolCall): object {
  return { id, type: 'function', function: { name, arguments: text } };
}

function toWireTool({ name, description, parameters }: Tool): object {
  return {
    type: 'function',
    function: removeUndefined({ name, description, parameters: parameters ?? EMPTY_PARAMETERS }),
  };
}

function toWireFormat(format: ResponseFormat): object {
  if (format.type !== 'json_schema') return { type: format.type };
  const { name, schema, strict } = format;
  return { type: 'json_schema', json_schema: removeUndefined({ name, schema, strict }) };
}
