import { isObject, type JsonObject, asArray, asNumber, asObject, asNonEmptyString } from '../http/json.ts';
import type { TextDelta } from './chunk-template.ts';

/** Returns the thoughts in a content of parts, as Mistral sends them: `{ type: 'thinking', thinking: [{ text }] }`. */
const joinThoughts = (content: unknown): string =>
  asArray(content)
    .map((part) => (isObject(part) && part['type'] === 'thinking' ? joinContentText(part['thinking']) : ''))
    .join('');

/** Returns the reasoning of a message. Some servers send the same under both names. */
export const joinReasoning = (message: JsonObject): string =>
  asNonEmptyString(message['reasoning_content']) ??
  asNonEmptyString(message['reasoning']) ??
  joinThoughts(message['content']);

/** Returns the text of a message. Some servers send a refusal to answer in a field of its own. */
export const joinMessageText = (message: JsonObject): string =>
  joinContentText(message['content']) + (asNonEmptyString(message['refusal']) ?? '');

/** Returns the text of a content that is a string or a list of parts. */
function joinContentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return asArray(content)
    .map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

/**
 * Adds to the reasoning in the form of OpenRouter (`reasoning_details`), of which each chunk has a part: consecutive parts of one text are
 * joined. Returns the length of what is new.
 */
export function addReasoningDetails(details: JsonObject[], added: unknown): number {
  let length = 0;
  for (const detail of asArray(added).filter(isObject)) {
    const last = details.at(-1);
    const joined = last && joinDetails(last, detail);
    if (joined === undefined) details.push(detail);
    else details[details.length - 1] = joined;
    for (const field of ['text', 'summary', 'data']) length += asNonEmptyString(detail[field])?.length ?? 0;
  }
  return length;
}

/** Returns a detail continued by the next one; undefined if that is another one. */
function joinDetails(last: JsonObject, next: JsonObject): JsonObject | undefined {
  if (last['type'] !== next['type'] || last['index'] !== next['index']) return undefined;
  for (const field of ['text', 'summary']) {
    const [start, end] = [last[field], next[field]];
    if (typeof start !== 'string' || typeof end !== 'string') continue;
    const known = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== null));
    return { ...last, ...known, [field]: start + end };
  }
  return undefined;
}

/** Returns the text of a chunk that adds nothing else to the answer. */
export function parseTextDelta(chunk: unknown): TextDelta | undefined {
  const choices = asObject(chunk)?.['choices'];
  const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
  if (
    !isObject(choice) ||
    asNonEmptyString(choice['finish_reason']) !== undefined ||
    isObject(choice['logprobs'])
  )
    return undefined;
  const delta = asObject(choice['delta']) ?? {};
  if (asArray(delta['reasoning_details']).length > 0) return undefined;
  if (asArray(delta['tool_calls']).length > 0 || (asNumber(choice['index']) ?? 0) !== 0) return undefined;
  const text = asNonEmptyString(delta['content']);
  const reasoning = asNonEmptyString(delta['reasoning_content']);
  if ((asNonEmptyString(delta['reasoning']) ?? asNonEmptyString(delta['refusal'])) !== undefined)
    return undefined;
  if (text !== undefined) return reasoning === undefined ? { kind: 'text', text } : undefined;
  return reasoning === undefined ? undefined : { kind: 'reasoning', text: reasoning };
}
