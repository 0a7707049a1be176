import { isList, isObject, isText } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { Model } from '../models.ts';
import { badRequest } from '../error-responses.ts';
import { signatureOf } from './completion.ts';
import type { ChatMessage, Leniency, Part, ToolCall } from './request.ts';

/** Parses `messages` of the current shape. Refuses with 400 and the path as `param`. */
export function readMessages(value: unknown, model: Model, lenient: Leniency): ChatMessage[] {
  if (!isList(value)) throw badRequest('messages', 'messages must be a list.');
  if (value.length === 0) throw badRequest('messages', 'messages must not be empty.');
  const messages = value.map((item, at) => readMessage(item, `messages[${at}]`, lenient));
  messages.forEach((message, at) => checkMedia(message.parts, model, `messages[${at}].content`));
  if (!lenient.unmatchedToolAnswer) checkToolAnswers(messages);
  value.forEach((item, at) => checkSentBack(item, at, model, lenient));
  return messages;
}

/** Refuses a message with calls that lacks what has to come back with them, in the words of Gemini and of Kimi. */
function checkSentBack(value: unknown, at: number, model: Model, { sentBack }: Leniency): void {
  if (sentBack === 'nothing' || !isObject(value) || !isList(value['tool_calls'])) return;
  if (sentBack === 'reasoning_content') {
    if (model.reasoning === 'none' || isText(value['reasoning_content'])) return;
    const where = `assistant tool call message at index ${at}`;
    throw badRequest(null, `thinking is enabled but reasoning_content is missing in ${where}`);
  }
  for (const call of value['tool_calls'].filter(isObject)) {
    const { google } = isObject(call['extra_content']) ? call['extra_content'] : {};
    const signature = isObject(google) ? google['thought_signature'] : undefined;
    if (signature !== signatureOf(String(call['id'])))
      throw badRequest(null, 'Function call is missing a thought_signature in functionCall parts.');
  }
}

function readMessage(value: unknown, at: string, lenient: Leniency): ChatMessage {
  if (!isObject(value)) throw badRequest(at, `${at} must be an object.`);
  const parts = readContent(value['content'], `${at}.content`);
  const toolCalls = readToolCalls(value['tool_calls'], `${at}.tool_calls`);
  const toolCallId = value['tool_call_id'];
  if (toolCallId !== undefined && toolCallId !== null && !isText(toolCallId)) {
    throw badRequest(`${at}.tool_call_id`, 'tool_call_id must be a string.');
  }
  return {
    role: readRole(value['role'], `${at}.role`, lenient),
    text: textOf(parts),
    parts,
    toolCalls,
    toolCallId: toolCallId ?? undefined,
  };
}

function readRole(role: unknown, at: string, lenient: Leniency): ChatMessage['role'] {
  if (role === 'system' || role === 'user' || role === 'assistant' || role === 'tool') return role;
  if (role === 'developer' && lenient.developerRole) return 'system';
  throw badRequest(at, 'role must be one of system, user, assistant, tool.');
}

function readContent(content: unknown, at: string): Part[] {
  if (content === undefined || content === null) return [];
  if (isText(content)) return [{ kind: 'text', text: content }];
  if (!isList(content)) throw badRequest(at, 'content must be a string, a list of parts or null.');
  return content.map((part, index) => readPart(part, `${at}[${index}]`));
}

function readPart(part: unknown, at: string): Part {
  if (!isObject(part)) throw badRequest(at, 'A content part must be an object.');
  const type = part['type'];
  if (type === 'text' && isText(part['text'])) return { kind: 'text', text: part['text'] };
  if (type === 'input_audio') {
    const audio = part['input_audio'];
    if (isObject(audio) && isText(audio['data']))
      return { kind: 'audio', url: `data:,${audio['data'].length}` };
  }
  for (const kind of ['image', 'video', 'audio'] as const) {
    if (type !== `${kind}_url`) continue;
    const url = urlOf(part[`${kind}_url`]);
    if (url !== undefined) return { kind, url };
  }
  throw badRequest(at, 'A content part must be text, image_url, video_url, audio_url or input_audio.');
}

/** The URL of a media part: a string, or an object with `url`. */
export function urlOf(value: unknown): string | undefined {
  if (isText(value)) return value;
  return isObject(value) && isText(value['url']) ? value['url'] : undefined;
}

export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

function readToolCalls(value: unknown, at: string): ToolCall[] {
  if (value === undefined || value === null) return [];
  if (!isList(value)) throw badRequest(at, 'tool_calls must be a list.');
  return value.map((call, index) => readToolCall(call, `${at}[${index}]`));
}

function readToolCall(call: unknown, at: string): ToolCall {
  const functionCall: JsonObject = isObject(call) && isObject(call['function']) ? call['function'] : {};
  if (!isObject(call) || !isText(call['id']) || call['type'] !== 'function') {
    throw badRequest(at, 'A tool call has id, type "function" and function.');
  }
  if (!isText(functionCall['name']) || !isText(functionCall['arguments'])) {
    throw badRequest(`${at}.function`, 'A tool call has function.name and function.arguments, both strings.');
  }
  return { id: call['id'], name: functionCall['name'], arguments: functionCall['arguments'] };
}

/** Each tool answer belongs to a call before it, and the answers to all calls of a message follow it, before any other message. */
function checkToolAnswers(messages: readonly ChatMessage[]): void {
  const known = new Set<string>();
  const unanswered = new Set<string>();
  messages.forEach((message, at) => {
    if (message.role !== 'tool') checkAllAnswered(unanswered, at);
    else if (!known.has(message.toolCallId ?? ''))
      throw badRequest(`messages[${at}].tool_call_id`, 'tool_call_id answers no earlier tool call.');
    unanswered.delete(message.toolCallId ?? '');
    for (const { id } of message.toolCalls) {
      known.add(id);
      unanswered.add(id);
    }
  });
  checkAllAnswered(unanswered, messages.length);
}

function checkAllAnswered(unanswered: ReadonlySet<string>, at: number): void {
  if (unanswered.size > 0)
    throw badRequest(`messages[${at}]`, `No tool answer follows the calls ${[...unanswered].join(', ')}.`);
}

/** Refuses media that the model does not support. */
export function checkMedia(parts: readonly Part[], model: Model, at: string): void {
  for (const part of parts) {
    if (!model.input.includes(part.kind))
      throw badRequest(at, `${model.id} does not take ${part.kind} input.`);
  }
  const images = parts.filter((part) => part.kind === 'image').length;
  if (images > model.maxImages) throw badRequest(at, `${model.id} takes at most ${model.maxImages} images.`);
}
