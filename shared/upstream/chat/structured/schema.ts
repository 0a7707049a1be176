import { type Schema, Validator } from '@cfworker/json-schema';
import { parseJson } from '../../http/json.ts';
import type { JsonSchema, ToolCall } from '../../chat-types.ts';

/** More errors than these repeat themselves. */
const MAX_SCHEMA_ERRORS = 10;

export type ValidationResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly errors: readonly string[] };

/** Validates a value against a JSON schema (2020-12, or the draft that `$schema` names). */
export function validate(value: unknown, schema: JsonSchema): ValidationResult {
  const copy: Schema = { ...schema };
  const { valid, errors } = new Validator(copy, getDraft(schema), false).validate(value);
  if (valid) return { ok: true, value };
  // The error of a part is repeated for each parent; the innermost is the most precise.
  const innermost = errors.filter(({ instanceLocation }, index) => {
    const inner = errors[index + 1]?.instanceLocation ?? '';
    return !(inner.length > instanceLocation.length && inner.startsWith(instanceLocation));
  });
  const complaints = innermost.map(
    ({ instanceLocation, error }) => `${instanceLocation.replace(/^#\/?/u, '/')}: ${error}`,
  );
  return { ok: false, errors: [...new Set(complaints)].slice(0, MAX_SCHEMA_ERRORS) };
}

function getDraft(schema: JsonSchema): '4' | '7' | '2019-09' | '2020-12' {
  const schemaUrl = typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
  const draft = (['2019-09', '4', '7'] as const).find(
    (each) => schemaUrl.includes(`draft-0${each}`) || schemaUrl.includes(`/${each}/`),
  );
  return draft ?? '2020-12';
}

/** Parses JSON that a model wrote and validates it. A code fence around the JSON is removed. */
export function validateJson(text: string, schema: JsonSchema): ValidationResult {
  const value = parseJson(removeCodeFence(text));
  return value === undefined ? { ok: false, errors: ['/: is not JSON'] } : validate(value, schema);
}

const FENCE = '```';

/** Not a regular expression: thousands of blank lines from a model would make one backtrack without end. */
function removeCodeFence(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length < 2 * FENCE.length || !trimmed.startsWith(FENCE) || !trimmed.endsWith(FENCE))
    return text;
  return trimmed.slice(FENCE.length, -FENCE.length).replace(/^json/u, '');
}

/**
 * Parses the arguments of a tool call and validates them against the tool's schema. Report the errors to the model as the
 * tool's result, not to a person.
 */
export function parseToolArguments(call: ToolCall, parameters: JsonSchema = {}): ValidationResult {
  return validateJson(call.arguments, parameters);
}
