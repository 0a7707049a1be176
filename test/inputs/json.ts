/** What JSON can say, and what JavaScript can hold at its places. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What JSON makes of a value. */
export function asJson(value: unknown): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string')
    return value;
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== 'object') return null;
  const members = Object.entries(value).filter(([, of]) => of !== undefined);
  return Object.fromEntries(members.map(([key, of]) => [key, asJson(of)]));
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** The members of an object or a list, by name; none of anything else. */
export function membersOf(value: Json): [string, Json][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Where something stands within a value. */
export type Path = readonly string[];

/** The places within a value, itself first, as deep as `depth`. */
export function pathsIn(value: Json, depth = 12): Path[] {
  if (depth === 0) return [[]];
  return [
    [],
    ...membersOf(value).flatMap(([key, of]) => pathsIn(of, depth - 1).map((path) => [key, ...path])),
  ];
}

/** What stands at a place. */
export function at(value: Json, [key, ...rest]: Path): Json {
  if (key === undefined) return value;
  const found = membersOf(value).find(([name]) => name === key);
  return found ? at(found[1], rest) : null;
}

/** The value with its members given: also such as `__proto__`, as members of its own. */
function rebuilt(value: Json, members: readonly (readonly [string, Json])[]): Json {
  if (isList(value)) return members.map(([, of]) => of);
  return Object.fromEntries(members);
}

/** The value with something else at a place; undefined takes it out. */
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

/** The value with one more member in the object or list at a place. */
export function extended(value: Json, path: Path, name: string, by: Json): Json {
  const here = at(value, path);
  if (typeof here !== 'object' || here === null) return value;
  const others = membersOf(here).filter(([key]) => isList(here) || key !== name);
  return replaced(value, path, rebuilt(here, [...others, [name, by]]));
}
