import { pairToolMessages } from './history.ts';
import type {
  ChatRequest,
  ContentPart,
  JsonSchema,
  Message,
  ResponseFormat,
  Tool,
  ToolCall,
} from './types.ts';

/** A request as it goes over the wire, and the fields of the request that it lacks. */
export type WireRequest = {
  readonly body: Readonly<Record<string, unknown>>;
  readonly omitted: readonly string[];
};

/** What a tool without arguments takes. */
export const NO_ARGUMENTS: JsonSchema = { type: 'object', properties: {} };

/**
 * The body of the current shape. `max_tokens` is always sent, as the default of a model is not known; a stream asks for
 * usage, which other servers of the format give only then. `tool_choice` is only sent with tools.
 */
export function currentBody(
  request: ChatRequest & { readonly maxTokens: number },
  stream: boolean,
): WireRequest {
  const tools =
    request.tools !== undefined && request.tools.length > 0 ? request.tools.map(wireTool) : undefined;
  const body = withoutUndefined({
    ...request.extra,
    model: request.model,
    messages: pairToolMessages(request.messages).map(wireMessage),
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
    response_format: request.responseFormat === undefined ? undefined : wireFormat(request.responseFormat),
    logprobs: request.logprobs,
    top_logprobs: request.logprobs === true ? request.topLogprobs : undefined,
    seed: request.seed,
    stream,
    stream_options: stream ? { include_usage: true } : undefined,
  });
  return { body, omitted: [] };
}

/** JSON has no undefined, but a test or a log that compares bodies does. */
export function withoutUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function wireMessage(message: Message): object {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: wireContent(message.content) };
    case 'assistant':
      return withoutUndefined({
        role: 'assistant',
        content: message.content,
        tool_calls:
          message.toolCalls !== undefined && message.toolCalls.length > 0
            ? message.toolCalls.map(wireCall)
            : undefined,
      });
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
}

function wireContent(content: string | readonly ContentPart[]): unknown {
  return typeof content === 'string' ? content : content.map(wirePart);
}

function wirePart(part: ContentPart): object {
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

function wireCall({ id, name, arguments: text }: ToolCall): object {
  return { id, type: 'function', function: { name, arguments: text } };
}

function wireTool({ name, description, parameters }: Tool): object {
  return {
    type: 'function',
    function: withoutUndefined({ name, description, parameters: parameters ?? NO_ARGUMENTS }),
  };
}

function wireFormat(format: ResponseFormat): object {
  if (format.type !== 'json_schema') return { type: format.type };
  const { name, schema, strict } = format;
  return { type: 'json_schema', json_schema: withoutUndefined({ name, schema, strict }) };
}
