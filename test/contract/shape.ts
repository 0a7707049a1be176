/** Words of this form may be one of the values that a type allows, such as `button` or `in_progress`. */
const KEYWORD = /^[a-z][a-z0-9_]{0,40}$/;
/** Fields whose words are free. */
const FREE = new Set(['action_id', 'block_id', 'callback_id', 'external_id', 'id', 'name', 'text', 'value']);
const MAX_TEXT = 60;

/**
 * A short value that has the same type: long strings are cut, and a list holds one element of each shape. Two values of the
 * same shape are the same to a type checker.
 */
export function exampleOf(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (Array.isArray(value)) return distinct(value, shapeOf).map(exampleOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, exampleOf(each)]));
}

/** A key that two values share exactly when a type checker cannot tell them apart. */
export function shapeOf(value: unknown, field = ''): string {
  if (typeof value === 'string') return KEYWORD.test(value) && !FREE.has(field) ? `'${value}'` : 'string';
  if (Array.isArray(value)) {
    const shapes = new Set(value.map((each) => shapeOf(each, field)));
    return `[${[...shapes].toSorted().join('|')}]`;
  }
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  const fields = Object.entries(value).map(([key, each]) => `${key}:${shapeOf(each, key)}`);
  return `{${fields.toSorted().join(',')}}`;
}

/** The first of each kind, in their order. */
export function distinct<T>(values: readonly T[], kindOf: (value: T) => string): T[] {
  const kinds = new Map<string, T>();
  for (const value of values) {
    const kind = kindOf(value);
    if (!kinds.has(kind)) kinds.set(kind, value);
  }
  return [...kinds.values()];
}
