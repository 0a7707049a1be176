import { isObject, type JsonObject, asArray, asNumber, asObject, asNonEmptyString } from '../http/json.ts';
import type { TextDelta } from './chunk-template.ts';

/** Returns the thoughts in a content of parts, as Mistral sends them: `{ type: 'thinking', thinking: [{ text }] }`. */
export const joinThoughts = (content: unknown): string =>
  asArray(content)
    .map((part) => (isObject(part) && part['type'] === 'thinking' ? joinContentText(part['thinking']) : ''))
    .join('');

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
  if (asArray(delta['tool_calls']).length > 0 || (asNumber(choice['index']) ?? 0) !== 0) return undefined;
  const text = asNonEmptyString(delta['content']);
  const reasoning = asNonEmptyString(delta['reasoning_content']);
  if ((asNonEmptyString(delta['reasoning']) ?? asNonEmptyString(delta['refusal'])) !== undefined)
    return undefined;
  if (text !== undefined) return reasoning === undefined ? { kind: 'text', text } : undefined;
  return reasoning === undefined ? undefined : { kind: 'reasoning', text: reasoning };
}
