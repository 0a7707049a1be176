/** JSON values, and the JavaScript values that can stand in their place. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A value after JSON.stringify and JSON.parse. */
export function asJson(value: unknown): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string')
    return value;
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== 'object') return null;
  const members = Object.entries(value).filter(([, of]) => of !== undefined);
  return Object.fromEntries(members.map(([key, of]) => [key, asJson(of)]));
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** The members of an object or array by name; empty for other values. */
export function membersOf(value: Json): [string, Json][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** The path of a value within another. */
export type Path = readonly string[];

/** The paths within a value, its own first, down to `depth`. */
export function pathsIn(value: Json, depth = 12): Path[] {
  if (depth === 0) return [[]];
  return [
    [],
    ...membersOf(value).flatMap(([key, of]) => pathsIn(of, depth - 1).map((path) => [key, ...path])),
  ];
}

/** The value at a path. */
export function at(value: Json, [key, ...rest]: Path): Json {
  if (key === undefined) return value;
  const member = membersOf(value).find(([name]) => name === key);
  return member ? at(member[1], rest) : null;
}

/** The value with these members; `__proto__` becomes an own property. */
function rebuilt(value: Json, members: readonly (readonly [string, Json])[]): Json {
  if (isList(value)) return members.map(([, of]) => of);
  return Object.fromEntries(members);
}

/** The value with a replaced value at a path; undefined removes it. */
export function replaced(value: Json, path: Path, by: Json | undefined): Json {
  const [key, ...rest] = path;
  if (key === undefined) return by ?? null;
  const members = membersOf(value).flatMap(([name, of]): (readonly [string, Json])[] => {
    if (name !== key) return [[name, of]];
    if (rest.length > 0) return [[name, replaced(of, rest, by)]];
    return by === undefined ? [] : [[name, by]];
  });
  return rebuilt(value, members);
}

/** The value with one more member in the object or array at a path. */
export function extended(value: Json, path: Path, name: string, by: Json): Json {
  const here = at(value, path);
  if (typeof here !== 'object' || here === null) return value;
  const others = membersOf(here).filter(([key]) => isList(here) || key !== name);
  return replaced(value, path, rebuilt(here, [...others, [name, by]]));
}
