export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The whole schema, in which references are looked up, and how many schemas may still be expanded. */
export type Expansion = { readonly root: JsonObject; steps: number };

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
  const { $ref: reference, ...own } = schema;
  if (typeof reference === 'string') {
    const target = findTarget(expansion.root, reference);
    return target === undefined || open.includes(reference)
      ? { schema: { ...(target && { type: target['type'] }), ...own }, open }
      : expandSchema({ ...target, ...own }, expansion, [...open, reference]);
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
  const whole = parts.reduce((sum, part) => mergeSchemas(sum, part.schema, 'both'), base);
  return {
    schema:
      variants.length === 0
        ? whole
        : addVariants(
            whole,
            variants.map((variant) => variant.schema),
          ),
    open: [...new Set([...open, ...[...parts, ...variants].flatMap((part) => part.open)])],
  };
}

const toSchemas = (list: unknown): readonly JsonObject[] =>
  Array.isArray(list) ? list.filter(isObject) : [];

/** Follows a JSON pointer (RFC 6901) within the schema. Undefined if it leads elsewhere or nowhere. */
function findTarget(root: JsonObject, reference: string): JsonObject | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let target: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name)) return undefined;
    target = Reflect.get(target, name);
  }
  return isObject(target) ? target : undefined;
}

function addVariants(base: JsonObject, variants: readonly JsonObject[]): JsonObject {
  const [first = {}, ...others] = variants;
  const values = variants.map((variant) => variant['enum']);
  if (values.every((list) => Array.isArray(list))) {
    const isOfOneType = others.every(({ type }) => type === first['type']);
    return { ...first, ...(!isOfOneType && { type: undefined }), ...base, enum: values.flat() };
  }
  if (!variants.every(isObjectSchema)) return { ...first, ...base };
  const joined = others.reduce((sum, variant) => mergeSchemas(sum, variant, 'either'), first);
  return mergeSchemas(base, joined, 'both');
}

/** Whether a schema describes an object. An alternative may only say which properties are required. */
const isObjectSchema = ({ type, properties, required }: JsonObject): boolean =>
  type === 'object' || (type === undefined && (isObject(properties) || Array.isArray(required)));

/** Merges two schemas; the first one counts where both say something. `either`: only one of them holds, so what it requires is required if both do. */
function mergeSchemas(first: JsonObject, second: JsonObject, holds: 'both' | 'either'): JsonObject {
  const merged = { ...second, ...first };
  if (!isObjectSchema(first) && !isObjectSchema(second)) return merged;
  const [one = [], other = []] = [first, second].map(({ required }) => toNames(required));
  return {
    ...merged,
    type: 'object',
    properties: { ...toObject(second['properties']), ...toObject(first['properties']) },
    required: holds === 'both' ? [...one, ...other] : one.filter((name) => other.includes(name)),
  };
}

const toNames = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);

const toObject = (value: unknown): JsonObject => (isObject(value) ? value : {});
