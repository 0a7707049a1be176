import { isObject, type JsonObject, asNumber, asObject, asNonEmptyString, parseJson } from '../http/json.ts';
import type { ToolCall } from '../chat-types.ts';

type PartialToolCall = {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  extra: Record<string, unknown>;
};

/** The fields of a call in both shapes. Others are the server's own. */
const FIELDS: ReadonlySet<string> = new Set([
  'index',
  'id',
  'type',
  'function',
  'name',
  'arguments',
  'parameters',
]);

/**
 * Merges the fragments of tool calls in the forms that servers send:
 * - by `index`; but a new id with a name on an index with another id starts a new call (some servers send all parallel calls as
 *   0); a new id without a name continues the call (some servers make an id for each fragment);
 * - without an index by id, else into the last call;
 * - without ids, a new name with arguments after complete arguments starts a new call;
 * - an absent, null or empty `id` or `name` changes nothing, and a repeated name is not appended;
 * - arguments sent as an object become JSON text.
 * Other fields of a call are kept as they are.
 * The flat form of the legacy shape (`name`, `parameters`) is read too.
 */
export class ToolCallMerger {
  readonly #calls: PartialToolCall[] = [];

  /** Adds a fragment; `isWhole`: a whole call, as a response without streaming has it. Returns the length of what it adds. */
  add(fragment: unknown, isWhole = false): number {
    if (!isObject(fragment)) return 0;
    const body = asObject(fragment['function']) ?? fragment;
    const id = asNonEmptyString(fragment['id']);
    const index = asNumber(fragment['index']);
    const name = asNonEmptyString(body['name']);
    const text = readArgumentsText(body);
    const known = isWhole ? undefined : this.#find(index, id, name);
    const startsAnother = id === undefined && name !== undefined && text !== '' && known && isComplete(known);
    const call = known === undefined || startsAnother ? this.#create(index) : known;
    call.id ||= id ?? '';
    call.name ||= name ?? '';
    call.arguments += text;
    const extra = Object.entries(fragment).filter(([field, value]) => !FIELDS.has(field) && value !== null);
    if (extra.length === 0) return text.length;
    call.extra = { ...call.extra, ...Object.fromEntries(extra) };
    return text.length + JSON.stringify(extra).length;
  }

  get size(): number {
    return this.#calls.length;
  }

  /**
   * The calls so far. A call without an id gets an id from its position, so that it can be answered. A call without arguments gets
   * an empty object, except if the response was cut (`isCut`): then its arguments had not begun.
   */
  list(isCut = false): ToolCall[] {
    return this.#calls.map(({ id, name, arguments: text, extra }, index) => ({
      id: id === '' ? `call_${index}` : id,
      name,
      arguments: text === '' && !isCut ? '{}' : text,
      ...(Object.keys(extra).length > 0 && { extra }),
    }));
  }

  /** Returns the call that a fragment continues; undefined if it starts one. */
  #find(
    index: number | undefined,
    id: string | undefined,
    name: string | undefined,
  ): PartialToolCall | undefined {
    const match =
      index === undefined ? this.#findById(id) : this.#calls.findLast((call) => call.index === index);
    const hasOtherId = match !== undefined && id !== undefined && match.id !== '' && match.id !== id;
    if (!hasOtherId) return match;
    return this.#calls.find((call) => call.id === id) ?? (name === undefined ? match : undefined);
  }

  #create(index: number | undefined): PartialToolCall {
    const call: PartialToolCall = { index, id: '', name: '', arguments: '', extra: {} };
    this.#calls.push(call);
    return call;
  }

  #findById(id: string | undefined): PartialToolCall | undefined {
    return id === undefined ? this.#calls.at(-1) : this.#calls.find((call) => call.id === id);
  }
}

/** Whether a call has a name and all of its arguments. */
const isComplete = ({ name, arguments: text }: PartialToolCall): boolean =>
  name !== '' && isObject(parseJson(text));

function readArgumentsText(body: JsonObject): string {
  const value = body['arguments'] ?? body['parameters'];
  if (typeof value === 'string') return value;
  return isObject(value) ? JSON.stringify(value) : '';
}
