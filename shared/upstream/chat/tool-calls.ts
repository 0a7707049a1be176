import { isObject, type JsonObject, asNumber, asObject, asNonEmptyString } from '../http/json.ts';
import type { ToolCall } from '../chat-types.ts';

type PartialToolCall = { index: number | undefined; id: string; name: string; arguments: string };

/**
 * Merges the fragments of tool calls in the forms that servers send:
 * - by `index`; but a new id on an index with another id starts a new call (some servers send all parallel calls as 0);
 * - without an index by id, else into the last call;
 * - an absent, null or empty `id` or `name` changes nothing, and a repeated name is not appended;
 * - arguments sent as an object become JSON text.
 * The flat form of the legacy shape (`name`, `parameters`) is read too.
 */
export class ToolCallMerger {
  readonly #calls: PartialToolCall[] = [];

  add(fragment: unknown): void {
    if (!isObject(fragment)) return;
    const body = asObject(fragment['function']) ?? fragment;
    const id = asNonEmptyString(fragment['id']);
    const call = this.#findOrCreate(asNumber(fragment['index']), id);
    call.id ||= id ?? '';
    call.name ||= asNonEmptyString(body['name']) ?? '';
    call.arguments += readArgumentsText(body);
  }

  get size(): number {
    return this.#calls.length;
  }

  /** The calls so far. A call without an id gets an id from its position, so that it can be answered. */
  list(): ToolCall[] {
    return this.#calls.map(({ id, name, arguments: text }, index) => ({
      id: id === '' ? `call_${index}` : id,
      name,
      arguments: text === '' ? '{}' : text,
    }));
  }

  #findOrCreate(index: number | undefined, id: string | undefined): PartialToolCall {
    const match =
      index === undefined ? this.#findById(id) : this.#calls.findLast((call) => call.index === index);
    const hasOtherId = match !== undefined && id !== undefined && match.id !== '' && match.id !== id;
    if (match !== undefined && !hasOtherId) return match;
    const sameId = hasOtherId ? this.#calls.find((call) => call.id === id) : undefined;
    if (sameId !== undefined) return sameId;
    const call: PartialToolCall = { index, id: '', name: '', arguments: '' };
    this.#calls.push(call);
    return call;
  }

  #findById(id: string | undefined): PartialToolCall | undefined {
    return id === undefined ? this.#calls.at(-1) : this.#calls.find((call) => call.id === id);
  }
}

function readArgumentsText(body: JsonObject): string {
  const value = body['arguments'] ?? body['parameters'];
  if (typeof value === 'string') return value;
  return isObject(value) ? JSON.stringify(value) : '';
}
