import { isObject, type JsonObject, numberOf, objectOf, stringOf } from '../http/json.ts';
import type { ToolCall } from './types.ts';

type Slot = { index: number | undefined; id: string; name: string; arguments: string };

/**
 * Merges the fragments of tool calls as servers really send them:
 * - by `index`; but a new id on an index that has another one opens a new call (some send all parallel calls as 0);
 * - without an index by id, else into the last call;
 * - an absent, null or empty `id` or `name` changes nothing, a repeated name is not appended;
 * - arguments that come as an object become its JSON text.
 * The flat form of the legacy shape (`name`, `parameters`) is read as well.
 */
export class ToolCalls {
  readonly #slots: Slot[] = [];

  add(fragment: unknown): void {
    if (!isObject(fragment)) return;
    const body = objectOf(fragment['function']) ?? fragment;
    const id = stringOf(fragment['id']);
    const slot = this.#slotFor(numberOf(fragment['index']), id);
    slot.id ||= id ?? '';
    slot.name ||= stringOf(body['name']) ?? '';
    slot.arguments += argumentsOf(body);
  }

  get size(): number {
    return this.#slots.length;
  }

  /** The calls so far. One without an id gets its place as id, so that it can be answered. */
  list(): ToolCall[] {
    return this.#slots.map(({ id, name, arguments: text }, place) => ({
      id: id === '' ? `call_${place}` : id,
      name,
      arguments: text === '' ? '{}' : text,
    }));
  }

  #slotFor(index: number | undefined, id: string | undefined): Slot {
    const found = index === undefined ? this.#byId(id) : this.#slots.findLast((slot) => slot.index === index);
    const another = found !== undefined && id !== undefined && found.id !== '' && found.id !== id;
    if (found !== undefined && !another) return found;
    const known = another ? this.#slots.find((slot) => slot.id === id) : undefined;
    if (known !== undefined) return known;
    const slot: Slot = { index, id: '', name: '', arguments: '' };
    this.#slots.push(slot);
    return slot;
  }

  #byId(id: string | undefined): Slot | undefined {
    return id === undefined ? this.#slots.at(-1) : this.#slots.find((slot) => slot.id === id);
  }
}

function argumentsOf(body: JsonObject): string {
  const value = body['arguments'] ?? body['parameters'];
  if (typeof value === 'string') return value;
  return isObject(value) ? JSON.stringify(value) : '';
}
