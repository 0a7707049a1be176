import { isInteger, isList, isObject, isText } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { invalid } from '../error-responses.ts';
import { countPrompt } from './count-prompt.ts';
import type { FindModel } from './current.ts';
import { textOf, urlOf } from './messages.ts';
import type { ChatMessage, ChatRequest, Part, Tool, ToolCall } from './request.ts';

type Loc = readonly (string | number)[];

/** Checks a request of the legacy shape. Throws `RejectedRequest` (422). An explicit null equals omission. */
export function readLegacy(value: unknown, find: FindModel): ChatRequest {
  if (!isObject(value)) throw invalid([], 'value is not a valid dict', 'type_error.dict');
  const id = value['model'];
  if (!isText(id)) throw invalid(['model'], 'field required', 'value_error.missing');
  const model = find(id);
  if (model === undefined) throw invalid(['model'], 'unknown model');
  const messages = readMessages(value['messages']);
  const sampling = [
    readDouble(value, 'frequency_penalty') ?? 0,
    readDouble(value, 'presence_penalty') ?? 0,
    readWhole(value, 'top_k') ?? 1024,
    readDouble(value, 'top_p') ?? 0.95,
  ];
  const tools = readTools(value['tools']);
  const promptTokens = countPrompt(messages, tools);
  const maxTokens = readWhole(value, 'max_tokens') ?? 1024;
  if (maxTokens < 1) throw invalid(['max_tokens'], 'ensure this value is greater than or equal to 1');
  const room = Math.max(0, model.context - promptTokens);
  return {
    shape: 'legacy',
    model,
    messages,
    stream: readFlag(value, 'stream'),
    promptTokens,
    maxTokens: Math.min(maxTokens, room),
    contextBound: room < maxTokens,
    temperature: readDouble(value, 'temperature') ?? 0.4,
    seed: readWhole(value, 'seed'),
    sampling,
    stop: readStop(value['stop']),
    tools,
    toolChoice: readChoice(value['tool_choice'], tools),
    forcedTool: undefined,
    format: { kind: 'text' },
    logprobs: false,
    topLogprobs: 0,
    effort: undefined,
    choices: 1,
  };
}

function readMessages(value: unknown): ChatMessage[] {
  if (!isList(value)) throw invalid(['messages'], 'field required', 'value_error.missing');
  if (value.length === 0) throw invalid(['messages'], 'ensure this value has at least 1 item');
  return value.map((item, at) => readMessage(item, ['messages', at]));
}

function readMessage(value: unknown, at: Loc): ChatMessage {
  if (!isObject(value)) throw invalid(at, 'value is not a valid dict', 'type_error.dict');
  const { role } = value;
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') {
    throw invalid([...at, 'role'], 'value is not one of user, assistant, tool', 'type_error.enum');
  }
  const parts = readContent(value['content'], [...at, 'content']);
  const id = value['tool_call_id'];
  return {
    role,
    text: textOf(parts),
    parts,
    toolCalls: readCalls(value['tool_calls'], [...at, 'tool_calls']),
    toolCallId: isText(id) ? id : undefined,
  };
}

function readContent(content: unknown, at: Loc): Part[] {
  if (content === undefined || content === null) return [];
  if (isText(content)) return [{ kind: 'text', text: content }];
  if (!isList(content)) throw invalid(at, 'str or list of parts expected', 'type_error.str');
  return content.map((part, index): Part => {
    if (isObject(part) && part['type'] === 'text' && isText(part['text'])) {
      return { kind: 'text', text: part['text'] };
    }
    const url = isObject(part) && part['type'] === 'image_url' ? urlOf(part['image_url']) : undefined;
    if (url === undefined) throw invalid([...at, index], 'a part is text or image_url');
    return { kind: 'image', url };
  });
}

function readCalls(value: unknown, at: Loc): ToolCall[] {
  if (value === undefined || value === null) return [];
  if (!isList(value)) throw invalid(at, 'value is not a valid list', 'type_error.list');
  return value.map((call, index) => {
    if (isObject(call) && isText(call['id']) && isText(call['name']) && isObject(call['parameters'])) {
      return { id: call['id'], name: call['name'], arguments: JSON.stringify(call['parameters']) };
    }
    throw invalid([...at, index], 'a tool call has id, name and parameters (an object)');
  });
}

function readTools(value: unknown): Tool[] {
  if (value === undefined || value === null) return [];
  if (!isList(value)) throw invalid(['tools'], 'value is not a valid list', 'type_error.list');
  return value.map((tool, index) => {
    if (isObject(tool) && isText(tool['name']) && isObject(tool['parameters'])) {
      const description = isText(tool['description']) ? tool['description'] : '';
      return { name: tool['name'], parameters: tool['parameters'], description };
    }
    throw invalid(['tools', index], 'a tool has name and parameters', 'value_error.missing');
  });
}

function readChoice(value: unknown, tools: readonly Tool[]): ChatRequest['toolChoice'] {
  if (value === undefined || value === null || value === 'auto') return 'auto';
  if (value === 'none') return 'none';
  if (value !== 'tool')
    throw invalid(['tool_choice'], 'value is not one of auto, tool, none', 'type_error.enum');
  if (tools.length === 0) throw invalid(['tool_choice'], 'tool_choice "tool" needs tools');
  return 'required';
}

function readStop(stop: unknown): readonly string[] {
  if (stop === undefined || stop === null) return [];
  if (isList(stop) && stop.every(isText)) return stop.filter(Boolean);
  throw invalid(['stop'], 'value is not a valid list of strings', 'type_error.list');
}

function readDouble(body: JsonObject, name: string): number | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === 'number') return value;
  throw invalid([name], 'value is not a valid float', 'type_error.float');
}

function readWhole(body: JsonObject, name: string): number | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || isInteger(value)) return value;
  throw invalid([name], 'value is not a valid integer', 'type_error.integer');
}

function readFlag(body: JsonObject, name: string): boolean {
  const value = body[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw invalid([name], 'value could not be parsed to a boolean', 'type_error.bool');
}
