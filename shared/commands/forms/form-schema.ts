import type { CommandsContext } from '../context.ts';
import type { ModalField } from '../../domain/index.ts';
import { parseNumber } from '../../settings/rules/index.ts';
import { isRecord } from '../../utils/index.ts';

/** A JSON schema of an object, saved by people. */
export type FormSchema = Readonly<Record<string, unknown>>;

/** Properties of a schema: four modals of five fields, Discord's limit per modal. */
export const MAX_FIELDS = 20;
/** The length of a property's name, which labels a field. */
const MAX_NAME_LENGTH = 60;
const MAX_REPORTED_LENGTH = 200;

export type SchemaProblem = {
  readonly why: 'not-json' | 'not-a-form' | 'no-patterns' | 'no-schema';
  readonly details?: string;
};

/** Parses a saved schema; undefined if it is invalid. */
export function parseFormSchema(text: string): FormSchema | undefined {
  try {
    const schema: unknown = JSON.parse(text);
    return isRecord(schema) ? schema : undefined;
  } catch {
    return undefined;
  }
}

/** Returns what is wrong with a schema that a person wants to save; undefined if it is valid. */
export function findSchemaProblem(
  text: string,
  readAs: CommandsContext['readAs'],
): SchemaProblem | undefined {
  const schema = parseFormSchema(text);
  if (!schema) return { why: 'not-json' };
  const names = Object.keys(getProperties(schema));
  const areNamesValid = names.every((name) => name !== '' && name.length <= MAX_NAME_LENGTH);
  if (schema['type'] !== 'object' || names.length === 0 || names.length > MAX_FIELDS || !areNamesValid)
    return { why: 'not-a-form' };
  if (canHang(schema)) return { why: 'no-patterns' };
  try {
    readAs('{}', schema);
    return undefined;
  } catch (error) {
    const details = error instanceof Error ? error.message : String(error);
    return { why: 'no-schema', details: details.slice(0, MAX_REPORTED_LENGTH).toWellFormed() };
  }
}

/** Keywords for references: forty definitions that each refer to the next one twice take years to validate. */
const REFERENCES = ['$ref', '$recursiveRef', '$dynamicRef'];

/** Returns whether validation could hang: by a backtracking pattern, or by references that multiply. */
function canHang(part: unknown): boolean {
  if (Array.isArray(part)) return part.some(canHang);
  if (!isRecord(part)) return false;
  // Rejects such a keyword at any depth: where a subschema begins is too hard to decide safely.
  const hasKeyword = ['pattern', ...REFERENCES].some((name) => typeof part[name] === 'string');
  return hasKeyword || isRecord(part['patternProperties']) || Object.values(part).some(canHang);
}

function getProperties({ properties }: FormSchema): Readonly<Record<string, unknown>> {
  return isRecord(properties) ? properties : {};
}

/** A property of a schema, as a form field. */
export type Property = {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly required: boolean;
  readonly kind: 'text' | 'number' | 'integer' | 'yes-no' | 'choice' | 'json';
  readonly choices: readonly string[];
};

/** Lists the properties of a schema in order. */
export function listProperties(schema: FormSchema): Property[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(getProperties(schema)).map(([name, of]) => {
    const property = isRecord(of) ? of : {};
    const { title, description, type, enum: listed } = property;
    const choices = parseChoices(listed);
    return {
      name,
      label: typeof title === 'string' && title.trim() !== '' ? title : name,
      hint: typeof description === 'string' && description.trim() !== '' ? description : undefined,
      required: required.includes(name),
      kind: choices.length > 0 ? 'choice' : getKind(type),
      choices,
    };
  });
}

/** The limits of menus on both platforms: Discord allows 25 options of 100 characters. */
const MAX_CHOICES = 25;
const MAX_CHOICE_LENGTH = 100;

function parseChoices(listed: unknown): string[] {
  if (!Array.isArray(listed) || listed.length > MAX_CHOICES) return [];
  const words = listed.filter(
    (one) => typeof one === 'string' && one !== '' && one.length <= MAX_CHOICE_LENGTH,
  );
  return words.length === listed.length ? words.map(String) : [];
}

function getKind(type: unknown): Property['kind'] {
  switch (type) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return type;
    case 'boolean':
      return 'yes-no';
    default:
      return 'json';
  }
}

/** Formats a value for a field; empty if it is absent. */
export function formatValue({ kind }: Property, value: unknown): string {
  if (value === undefined) return '';
  return kind !== 'json' && typeof value === 'string' ? value : JSON.stringify(value);
}

/** Creates the modal field of a property. `yes` and `no` are the labels of a boolean. */
export function toField(
  property: Property,
  id: string,
  value: unknown,
  { yes, no, most }: { readonly yes: string; readonly no: string; readonly most: number },
): ModalField {
  const { label, hint, required, kind, choices } = property;
  const common = { id, label, hint, optional: !required };
  const text = formatValue(property, value);
  if (kind === 'choice')
    return { ...common, kind, options: choices.map((one) => ({ label: one, value: one })), value: text };
  if (kind === 'yes-no') {
    const options = [
      { label: yes, value: 'true' },
      { label: no, value: 'false' },
    ];
    return { ...common, kind: 'choice', options, value: text };
  }
  return { ...common, kind: isNumeric(property) ? 'line' : 'paragraph', most, value: text };
}

const isNumeric = ({ kind }: Property): boolean => kind === 'number' || kind === 'integer';

/**
 * Parses the content of a field, in which a value was shown; undefined if it is empty. Invalid content stays a string, and so does a number
 * that is not clear.
 */
export function parseValue(property: Property, shown: unknown, text: string | undefined): unknown {
  if (text === undefined || text.trim() === '') return undefined;
  const { kind } = property;
  if (kind === 'text' || kind === 'choice') return text;
  // A shown number may have three decimals, and is clear.
  if (text === formatValue(property, shown)) return shown;
  if (isNumeric(property) && !/^-?[\d.]+e[+-]?\d+$/iu.test(text)) {
    const number = parseNumber(text, kind === 'integer');
    return Number.isNaN(number) ? text : number;
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
