import { isRecord } from '../utils/index.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The most alternatives, and the most required names, of a schema that are read. An object with more properties than this costs more steps. */
const MAX_ENTRIES = 64;
/** The longest reference that is followed (characters). */
const MAX_REFERENCE_LENGTH = 1_000;

/** The keywords that models need, and those that are replaced by them. */
const KEYWORDS = '$ref anyOf oneOf allOf const type description enum properties required items'.split(' ');

/**
 * The whole schema, in which references are looked up, and how many schemas may still be expanded. `repeats`: whether a reference within one
 * alternative may be followed again within another, as that to a condition in a group of conditions.
 */
export type Expansion = { readonly root: JsonObject; readonly repeats: boolean; steps: number };

/** A schema without references and alternatives at its top. `open`: the references within which it is, for one that refers to itself. */
export type Expanded = { readonly schema: JsonObject; readonly open: readonly string[] };

/**
 * Puts the schema to which `$ref` refers in its place, and one schema in that of alternatives (`anyOf`, `oneOf`, `allOf`): servers written in Python
 * or Go send both for usual parameters. Alternatives that are objects become one with the properties of all, constants an `enum`; of others, the
 * first that is not null counts. References lead nowhere but into the schema itself.
 */
export function expandSchema(
  schema: JsonObject,
  expansion: Expansion,
  open: readonly string[] = [],
): Expanded {
  expansion.steps -= 1;
  if (expansion.steps < 0) return { schema, open };
  const { $ref: reference, ...own } = pickKeywords(schema);
  if (typeof reference === 'string') {
    const target = findTarget(expansion.root, reference);
    return target === undefined || open.includes(reference)
      ? { schema: { ...(target && { type: target['type'] }), ...own }, open }
      : expandSchema({ ...pickKeywords(target), ...own }, expansion, [...open, reference]);
  }
  const { anyOf, oneOf, allOf, const: constant, ...rest } = own;
  const base = constant === undefined ? rest : { enum: [constant], ...rest };
  const { type } = base;
  if (typeof type === 'string' && type !== 'object') return { schema: base, open };
  const expandAll = (list: unknown) => toSchemas(list).map((each) => expandSchema(each, expansion, open));
  const parts = expandAll(allOf);
  const variants = [...expandAll(anyOf), ...expandAll(oneOf)].filter(
    (each) => each.schema['type'] !== 'null',
  );
  const whole = parts.reduce((sum, part) => mergeSchemas(sum, part.schema, expansion), base);
  return {
    schema: addVariants(
      whole,
      variants.map((variant) => variant.schema),
      expansion,
    ),
    open: [...new Set([...open, ...parts.flatMap((part) => part.open), ...findOpen(variants, expansion)])],
  };
}

/** The references within which a schema is that was made of these alternatives. */
function findOpen(variants: readonly Expanded[], { repeats }: Expansion): readonly string[] {
  if (!repeats) return variants.flatMap((variant) => variant.open);
  const [first, ...others] = variants;
  // Other alternatives than objects are not joined: the first counts.
  const joined = variants.every((variant) => isObjectSchema(variant.schema)) ? others : [];
  return (first?.open ?? []).filter((reference) => joined.every((other) => other.open.includes(reference)));
}

/** A hostile schema may have many thousands of other keys: they are not copied. */
const pickKeywords = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    KEYWORDS.filter((name) => Object.hasOwn(schema, name)).map((name) => [name, schema[name]]),
  );

const toSchemas = (list: unknown): readonly JsonObject[] => toEntries(list).filter(isRecord);

/** Follows a JSON pointer (RFC 6901, section 6: in a fragment of a URI) within the schema. Undefined if it leads elsewhere or nowhere. */
function findTarget(root: JsonObject, reference: string): JsonObject | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  if (reference.length > MAX_REFERENCE_LENGTH) return undefined;
  let target: unknown = root;
  for (const part of decodeFragment(reference).split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name)) return undefined;
    target = Reflect.get(target, name);
  }
  return isRecord(target) ? target : undefined;
}

/** Names such as `List<Item>` are escaped in an address. Not all servers do it: a percent sign may stand for itself. */
function decodeFragment(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

function addVariants(base: JsonObject, variants: readonly JsonObject[], expansion: Expansion): JsonObject {
  const [first, ...others] = variants;
  if (first === undefined) return base;
  const values = variants.map((variant) => variant['enum']);
  if (values.every((list) => Array.isArray(list))) {
    const isOfOneType = others.every(({ type }) => type === first['type']);
    return { ...first, ...(!isOfOneType && { type: undefined }), ...base, enum: values.flatMap(toEntries) };
  }
  if (variants.every(isObjectSchema)) return mergeSchemas(base, joinObjects(variants, expansion), expansion);
  // Some values are named, and any other of the type is valid, too.
  const isOpen = variants.some((variant) => !Array.isArray(variant['enum']) && mayShareType(variant, first));
  return { ...first, ...(isOpen && { enum: undefined }), ...base };
}

const mayShareType = ({ type }: JsonObject, { type: other }: JsonObject): boolean =>
  typeof type !== 'string' || typeof other !== 'string' || type === other;

/** Whether a schema describes an object. An alternative may only say which properties are required. */
const isObjectSchema = ({ type, properties, required }: JsonObject): boolean =>
  type === 'object' || (type === undefined && (isRecord(properties) || Array.isArray(required)));

/** Merges two schemas that both hold; the first one counts where both say something. */
function mergeSchemas(first: JsonObject, second: JsonObject, expansion: Expansion): JsonObject {
  const merged = { ...second, ...first };
  if (!isObjectSchema(first) && !isObjectSchema(second)) return merged;
  const properties = [...listProperties(second, expansion), ...listProperties(first, expansion)];
  if (expansion.steps < 0) return merged;
  const required = [...toEntries(first['required']), ...toEntries(second['required'])];
  return { ...merged, type: 'object', properties: Object.fromEntries(properties), required };
}

/**
 * Returns one object for several of which one holds: a property that more than one has may be as in any of them, such as the constant that says
 * which one it is. What all require is required.
 */
function joinObjects(variants: readonly JsonObject[], expansion: Expansion): JsonObject {
  const [first = {}, ...others] = variants;
  const byName = new Map<string, unknown[]>();
  for (const variant of variants)
    for (const [name, schema] of listProperties(variant, expansion))
      byName.set(name, [...(byName.get(name) ?? []), schema]);
  if (expansion.steps < 0) return first;
  const properties = [...byName].map(([name, schemas]): readonly [string, unknown] => [
    name,
    new Set(schemas).size === 1 ? schemas[0] : { anyOf: schemas },
  ]);
  const required = toEntries(first['required']).filter((name) =>
    others.every((other) => toEntries(other['required']).includes(name)),
  );
  return { ...first, type: 'object', properties: Object.fromEntries(properties), required };
}

/** Returns the properties of a schema; one more than may be needed, so that it still counts as too large. None after the last step. */
function listProperties(
  { properties }: JsonObject,
  expansion: Expansion,
): readonly (readonly [string, unknown])[] {
  if (!isRecord(properties) || expansion.steps < 0) return [];
  const names = Object.keys(properties);
  expansion.steps -= Math.floor(names.length / MAX_ENTRIES);
  return names.slice(0, MAX_ENTRIES + 1).map((name) => [name, properties[name]]);
}

const toEntries = (list: unknown): readonly unknown[] =>
  Array.isArray(list) ? list.slice(0, MAX_ENTRIES) : [];
