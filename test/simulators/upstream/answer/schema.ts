import { isList, isObject, isText } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { Random } from '../random.ts';
import { keywords } from './memory.ts';
import { questionsAbout } from './questions.ts';
import { textFor } from './text.ts';

type Scope = {
  readonly root: JsonObject;
  readonly question: string;
  readonly random: Random;
  readonly depth: number;
};

/** A value that fits a JSON schema, made of the words and numbers of the question where it can. */
export function fit(schema: unknown, question: string, random: Random): unknown {
  const root = isObject(schema) ? schema : {};
  return valueFor(root, { root, question, random, depth: 0 }, 'answer');
}

function valueFor(example: unknown, scope: Scope, name: string): unknown {
  // A schema that requires itself has no end, and no value either.
  if (scope.depth > 7) return null;
  if (!isObject(example)) return example === false ? null : scope.question;
  const schema = resolve(example, scope);
  if (schema['const'] !== undefined) return schema['const'];
  if (isList(schema['enum'])) return oneOf(schema['enum'], scope);
  const inner = { ...scope, depth: scope.depth + 1 };
  switch (typeOf(schema, scope.depth)) {
    case 'object':
      return objectFor(schema, inner);
    case 'array':
      return listFor(schema, inner, name);
    case 'integer':
      return numberFor(schema, scope, true);
    case 'number':
      return numberFor(schema, scope, false);
    case 'boolean':
      return !/\b(?:not|no|never)\b/iu.test(scope.question);
    case 'null':
      return null;
    default:
      return textFor(schema, scope.question, name, scope.random);
  }
}

/** Follows `$ref` and merges `allOf`, `anyOf` and `oneOf` into one schema. */
function resolve(schema: JsonObject, scope: Scope, hops = 0): JsonObject {
  if (hops > 20) return {};
  const { $ref: ref, allOf, ...rest } = schema;
  if (isText(ref)) {
    const target = pointer(scope.root, ref);
    return resolve({ ...target, ...rest }, scope, hops + 1);
  }
  if (isList(allOf)) {
    const all = allOf.filter(isObject).map((part) => resolve(part, scope, hops + 1));
    return resolve([...all, rest].reduce<JsonObject>(merge, {}), scope, hops + 1);
  }
  const choices = rest['anyOf'] ?? rest['oneOf'];
  if (isList(choices)) {
    const { anyOf: _any, oneOf: _one, ...base } = rest;
    // Deep down the last branch is taken: a recursive schema puts its way out (null, a leaf) there or has it first.
    const open = choices.filter(isObject);
    const chosen =
      scope.depth > 4 ? (open.find((branch) => branch['type'] === 'null') ?? open.at(-1)) : open[0];
    return resolve(merge(base, chosen ?? {}), scope, hops + 1);
  }
  return rest;
}

function merge(one: JsonObject, other: JsonObject): JsonObject {
  const required = [one['required'], other['required']].flatMap((names) => (isList(names) ? names : []));
  const properties = [one['properties'], other['properties']].filter(isObject);
  return {
    ...one,
    ...other,
    ...(required.length > 0 ? { required } : {}),
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties.flatMap(Object.entries)) } : {}),
  };
}

function pointer(root: JsonObject, ref: string): JsonObject {
  let at: unknown = root;
  for (const raw of ref.replace(/^#\/?/u, '').split('/').filter(Boolean)) {
    const step = decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~');
    at = isObject(at) ? at[step] : undefined;
  }
  return isObject(at) ? at : {};
}

function typeOf(schema: JsonObject, depth: number): string {
  const { type } = schema;
  if (isText(type)) return type;
  if (isList(type)) {
    const names = type.filter(isText);
    if (depth > 4 && names.includes('null')) return 'null';
    return names.find((name) => name !== 'null') ?? 'null';
  }
  if (schema['properties'] !== undefined || schema['required'] !== undefined) return 'object';
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'array';
  const numeric = ['minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum'];
  return numeric.some((name) => schema[name] !== undefined) ? 'number' : 'string';
}

function oneOf(values: readonly unknown[], scope: Scope): unknown {
  const words = keywords(scope.question);
  const match = values.find((value) => isText(value) && [...keywords(value)].some((word) => words.has(word)));
  return match ?? values[0] ?? null;
}

function objectFor(schema: JsonObject, scope: Scope): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = isList(schema['required']) ? schema['required'].filter(isText) : [];
  const wanted = scope.depth > 4 ? [] : Object.keys(properties);
  const names = new Set([...wanted, ...required]);
  const extra = isObject(schema['additionalProperties']) ? schema['additionalProperties'] : {};
  for (let at = 1; names.size < sizeOf(schema, 'minProperties'); at += 1) names.add(`key${at}`);
  return Object.fromEntries(
    [...names].map((name) => [name, valueFor(properties[name] ?? extra, scope, name)]),
  );
}

function listFor(schema: JsonObject, scope: Scope, name: string): unknown[] {
  const fixed = isList(schema['prefixItems']) ? schema['prefixItems'] : [];
  const maxItems = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : Infinity;
  if (name === 'questions' && Number.isFinite(maxItems)) return questionsAbout(scope.question, maxItems);
  const least = sizeOf(schema, 'minItems');
  const count = Math.min(maxItems, Math.max(least, fixed.length, scope.depth > 4 ? 0 : 2));
  const varied = (at: number): Scope =>
    at === 0 ? scope : { ...scope, question: `${scope.question} ${at + 1}` };
  const items = Array.from({ length: count }, (_, at) =>
    valueFor(fixed[at] ?? schema['items'] ?? {}, varied(at), name),
  );
  if (schema['uniqueItems'] !== true) return items;
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

function numberFor(schema: JsonObject, scope: Scope, whole: boolean): number {
  const step = typeof schema['multipleOf'] === 'number' ? schema['multipleOf'] : whole ? 1 : 0;
  const gap = step > 0 ? step : 0.5;
  const low = Math.max(
    bound(schema['minimum'], 0, -Infinity),
    bound(schema['exclusiveMinimum'], gap, -Infinity),
  );
  const high = Math.min(
    bound(schema['maximum'], 0, Infinity),
    bound(schema['exclusiveMaximum'], -gap, Infinity),
  );
  const number = Number(/-?\d+(?:\.\d+)?/u.exec(scope.question)?.[0] ?? 42);
  const value = Math.min(high, Math.max(low, number));
  if (step === 0) return value;
  const rounded = Math.round(value / step) * step;
  if (rounded < low) return Math.ceil(low / step) * step;
  return rounded > high ? Math.floor(high / step) * step : rounded;
}

function bound(value: unknown, shift: number, otherwise: number): number {
  return typeof value === 'number' ? value + shift : otherwise;
}

function sizeOf(schema: JsonObject, name: string): number {
  const value = schema[name];
  return typeof value === 'number' ? value : 0;
}
