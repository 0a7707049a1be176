import { isRecord, toVisibleText } from '../utils/index.ts';
import { expandSchema, type Expansion, type JsonObject } from './expand-schema.ts';

/** The deepest schema, the most properties in all, and the largest schema as JSON. */
const MAX_DEPTH = 6;
const MAX_PROPERTIES = 64;
const MAX_SCHEMA_LENGTH = 6_000;
const MAX_TEXT_LENGTH = 300;
const MAX_ENUM_VALUES = 50;
/** The most schemas whose references and alternatives are replaced: each may lead to several others. */
const MAX_EXPANSIONS = 500;

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

/** What is left for a whole schema. `expansion`: undefined if references and alternatives are left out. */
type Budget = { properties: number; readonly expansion: Expansion | undefined };

/**
 * Returns the JSON schema of a tool's parameters, with what models need and nothing else: a server could send anything, and the models' server
 * refuses a request with an invalid schema. The server itself checks the arguments. References and alternatives are replaced if there is room:
 * first those that repeat within others, too. Undefined if the schema is too large without them, too.
 */
export function normalizeSchema(schema: unknown): JsonObject | undefined {
  const root = isRecord(schema) ? { ...schema, type: 'object' } : { type: 'object' };
  const startExpansion = (repeats: boolean): Expansion => ({ root, repeats, steps: MAX_EXPANSIONS });
  return (
    normalizeRoot(root, { properties: MAX_PROPERTIES, expansion: startExpansion(true) }) ??
    normalizeRoot(root, { properties: MAX_PROPERTIES, expansion: startExpansion(false) }) ??
    normalizeRoot(root, { properties: MAX_PROPERTIES, expansion: undefined })
  );
}

function normalizeRoot(root: JsonObject, budget: Budget): JsonObject | undefined {
  const normalized = normalize(root, 1, budget);
  const whole = {
    ...normalized,
    type: 'object',
    properties: isRecord(normalized['properties']) ? normalized['properties'] : {},
  };
  return budget.properties < 0 || JSON.stringify(whole).length > MAX_SCHEMA_LENGTH ? undefined : whole;
}

function normalize(
  original: JsonObject,
  depth: number,
  budget: Budget,
  openAround: readonly string[] = [],
): JsonObject {
  const { schema, open } = budget.expansion
    ? expandSchema(original, budget.expansion, openAround)
    : { schema: original, open: openAround };
  const { type, description, enum: values, properties, required, items } = schema;
  // A list of types, as for a value that may be null: the first that is not.
  const named = (Array.isArray(type) ? type : [type]).filter(
    (one): one is string => typeof one === 'string' && TYPES.includes(one),
  );
  const chosenType = named.find((one) => one !== 'null') ?? named[0];
  const result: Record<string, unknown> = {};
  if (chosenType !== undefined) result['type'] = chosenType;
  if (typeof description === 'string' && description !== '') result['description'] = clean(description);
  if (Array.isArray(values)) {
    const plain = values.slice(0, MAX_ENUM_VALUES).filter(isEnumValue).map(cleanValue);
    if (plain.length > 0) result['enum'] = [...new Set(plain)];
  }
  if (depth >= MAX_DEPTH) return result;
  if (chosenType === 'array')
    result['items'] = isRecord(items) ? normalize(items, depth + 1, budget, open) : {};
  if (chosenType === 'object' && isRecord(properties)) {
    const own = normalizeProperties(properties, depth, budget, open);
    result['properties'] = own;
    if (Array.isArray(required)) {
      const names = required.filter((name): name is string => typeof name === 'string');
      const known = [...new Set(names)].filter((name) => Object.hasOwn(own, name));
      if (known.length > 0) result['required'] = known;
    }
  }
  return result;
}

function normalizeProperties(
  properties: JsonObject,
  depth: number,
  budget: Budget,
  open: readonly string[],
): JsonObject {
  const entries: (readonly [string, JsonObject])[] = [];
  for (const [name, value] of Object.entries(properties)) {
    if (!/^[\w.$-]{1,64}$/u.test(name) || name === '__proto__') continue;
    budget.properties -= 1;
    if (budget.properties < 0) break;
    entries.push([name, normalize(isRecord(value) ? value : {}, depth + 1, budget, open)]);
  }
  return Object.fromEntries(entries);
}

const isEnumValue = (value: unknown): value is string | number | boolean =>
  ['string', 'boolean'].includes(typeof value) || (typeof value === 'number' && Number.isFinite(value));

const cleanValue = (value: string | number | boolean) => (typeof value === 'string' ? clean(value) : value);

/** Without characters that people do not see: text can be hidden in them. */
const clean = (text: string): string => toVisibleText(text, MAX_TEXT_LENGTH);
