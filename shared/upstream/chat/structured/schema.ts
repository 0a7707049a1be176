import { type Schema, Validator } from '@cfworker/json-schema';
import { parseJson } from '../../http/json.ts';
import type { JsonSchema, ToolCall } from '../types.ts';

/** Complaints beyond these only repeat themselves. */
const MAX_COMPLAINTS = 10;

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly complaints: readonly string[] };

/** Whether the value fits the schema (JSON schema 2020-12, or the draft that `$schema` names), and where it does not. */
export function check(value: unknown, schema: JsonSchema): Checked {
  const copy: Schema = { ...schema };
  const { valid, errors } = new Validator(copy, draftOf(schema), false).validate(value);
  if (valid) return { ok: true, value };
  // An error of a part is repeated for each whole around it; the innermost says most.
  const innermost = errors.filter(({ instanceLocation }, at) => {
    const inner = errors[at + 1]?.instanceLocation ?? '';
    return !(inner.length > instanceLocation.length && inner.startsWith(instanceLocation));
  });
  const complaints = innermost.map(
    ({ instanceLocation, error }) => `${instanceLocation.replace(/^#\/?/u, '/')}: ${error}`,
  );
  return { ok: false, complaints: [...new Set(complaints)].slice(0, MAX_COMPLAINTS) };
}

function draftOf(schema: JsonSchema): '4' | '7' | '2019-09' | '2020-12' {
  const named = typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
  const draft = (['2019-09', '4', '7'] as const).find(
    (each) => named.includes(`draft-0${each}`) || named.includes(`/${each}/`),
  );
  return draft ?? '2020-12';
}

/** Reads JSON that a model wrote and checks it: a code fence around it is forgiven. */
export function checkText(text: string, schema: JsonSchema): Checked {
  const value = parseJson(unfenced(text));
  return value === undefined ? { ok: false, complaints: ['/: is not JSON'] } : check(value, schema);
}

const FENCE = '```';

/** Not by a regular expression: a model can be talked into thousands of blank lines, which one tries in every way. */
function unfenced(text: string): string {
  const words = text.trim();
  if (words.length < 2 * FENCE.length || !words.startsWith(FENCE) || !words.endsWith(FENCE)) return text;
  return words.slice(FENCE.length, -FENCE.length).replace(/^json/u, '');
}

/**
 * The arguments of a tool call, checked against the tool's schema. What is wrong with them is meant for the model, as
 * the tool's answer: never for a person.
 */
export function readArguments(call: ToolCall, parameters: JsonSchema = {}): Checked {
  return checkText(call.arguments, parameters);
}
