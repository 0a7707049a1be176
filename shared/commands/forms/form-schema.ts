import type { CommandsContext } from '../context.ts';
import type { ModalField } from '../../domain/index.ts';

/** A JSON schema of an object, as people save it for a form. */
export type FormSchema = Readonly<Record<string, unknown>>;

/** Properties of a form: four modals of five fields, which is all that Discord's hold. */
export const MAX_FIELDS = 20;
/** Of a property's name: what stands over a field. */
const MAX_NAME_LENGTH = 60;
const MAX_REPORTED_LENGTH = 200;

export type SchemaProblem = {
  readonly why: 'not-json' | 'not-a-form' | 'no-patterns' | 'no-schema';
  readonly told?: string;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A saved text as a schema; undefined for what is none. */
export function parseFormSchema(text: string): FormSchema | undefined {
  try {
    const schema: unknown = JSON.parse(text);
    return isRecord(schema) ? schema : undefined;
  } catch {
    return undefined;
  }
}

/** What is wrong with a text that is to be saved as the schema of a form; undefined for one that is good. */
export function findSchemaProblem(
  text: string,
  readAs: CommandsContext['readAs'],
): SchemaProblem | undefined {
  const schema = parseFormSchema(text);
  if (!schema) return { why: 'not-json' };
  const names = Object.keys(getProperties(schema));
  const named = names.every((name) => name !== '' && name.length <= MAX_NAME_LENGTH);
  if (schema['type'] !== 'object' || names.length === 0 || names.length > MAX_FIELDS || !named)
    return { why: 'not-a-form' };
  if (canHang(schema)) return { why: 'no-patterns' };
  try {
    readAs('{}', schema);
    return undefined;
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    return { why: 'no-schema', told: told.slice(0, MAX_REPORTED_LENGTH).toWellFormed() };
  }
}

/** Parts that refer to others: some forty of them, each naming the next one twice, are checked for years. */
const REFERENCES = ['$ref', '$recursiveRef', '$dynamicRef'];

/** A pattern that backtracks, or references that multiply, would hold a worker up for as long as it lives. */
function canHang(part: unknown): boolean {
  if (Array.isArray(part)) return part.some(canHang);
  if (!isRecord(part)) return false;
  // A text of that name is taken for one wherever it stands: what counts as a schema is too easily hidden.
  const written = ['pattern', ...REFERENCES].some((name) => typeof part[name] === 'string');
  return written || isRecord(part['patternProperties']) || Object.values(part).some(canHang);
}

function getProperties({ properties }: FormSchema): Readonly<Record<string, unknown>> {
  return isRecord(properties) ? properties : {};
}

/** One property of a form: how people see it, and how it is read back. */
export type Property = {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly required: boolean;
  readonly kind: 'text' | 'number' | 'yes-no' | 'choice' | 'json';
  readonly choices: readonly string[];
};

/** The properties of a form, in order. */
export function listProperties(schema: FormSchema): Property[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(getProperties(schema)).map(([name, of]) => {
    const told = isRecord(of) ? of : {};
    const { title, description, type, enum: listed } = told;
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

/** What a menu takes on both platforms: Discord 25 options of 100 characters. */
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
      return 'number';
    case 'boolean':
      return 'yes-no';
    default:
      return 'json';
  }
}

/** What stands in a field for a value; empty for none. */
export function formatValue({ kind }: Property, value: unknown): string {
  if (value === undefined) return '';
  return kind !== 'json' && typeof value === 'string' ? value : JSON.stringify(value);
}

/** A field of a form for one property. `yes` and `no` are what people read of a boolean. */
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
  return { ...common, kind: kind === 'number' ? 'line' : 'paragraph', most, value: text };
}

/** What was filled in, as a value; undefined for a field that was left empty. What cannot be read stays a text. */
export function parseValue({ kind }: Property, text: string | undefined): unknown {
  if (text === undefined || text.trim() === '') return undefined;
  if (kind === 'text' || kind === 'choice') return text;
  try {
    return JSON.parse(kind === 'number' ? text.trim().replace(',', '.') : text);
  } catch {
    return text;
  }
}
