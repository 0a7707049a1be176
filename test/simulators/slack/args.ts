import * as v from 'valibot';
import { jsonObject } from '../json-schema.ts';
import type { Json } from './state.ts';
import { RefusalError } from './context.ts';

/** Arguments of a request: strings in a form, any JSON type in JSON. */
export type Args = Readonly<Record<string, unknown>>;

const json = jsonObject;

/** A string argument; undefined when absent or empty. */
export function optional(args: Args, name: string): string | undefined {
  const value = args[name];
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** A required argument: refuses with `invalid_arguments` and its name. */
export function required(args: Args, name: string): string {
  const value = optional(args, name);
  if (value !== undefined) return value;
  throw new RefusalError('invalid_arguments', {
    response_metadata: { messages: [`[ERROR] missing required field: ${name}`] },
  });
}

/** Slack's own client adds it to each request of an app that is built by Bolt: the option `teamId` of `WebClient`. */
const TEAM_OF_CLIENT = 'team_id';

/** Refuses unknown arguments, by Slack's official types and its reference. */
export function only(args: Args, names: ReadonlySet<string>): void {
  const other = Object.keys(args).find((name) => !names.has(name) && name !== TEAM_OF_CLIENT);
  if (other === undefined) return;
  throw new RefusalError('invalid_arguments', {
    response_metadata: { messages: [`[ERROR] unknown field: ${other}`] },
  });
}

/** A yes/no argument; Slack takes `true`, `1` and their text. */
export function flag(args: Args, name: string): boolean {
  const value = args[name];
  return value === true || value === 1 || value === 'true' || value === '1';
}

/** A whole number between `min` and `max`, clamped; `otherwise` when absent. */
export function whole(args: Args, name: string, min: number, max: number, otherwise: number): number {
  const value = Number(optional(args, name) ?? otherwise);
  return Number.isFinite(value) ? Math.min(max, Math.max(min, Math.floor(value))) : otherwise;
}

/** A JSON argument, as a value or as text. Refuses malformed text with `code`. */
export function jsonArg(args: Args, name: string, code: string): unknown {
  const value = args[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new RefusalError(code);
  }
}

/** An array of JSON objects. Refuses anything else with `code`. */
export function objects(args: Args, name: string, code: string): Json[] | undefined {
  const value = jsonArg(args, name, code);
  if (value === undefined) return undefined;
  const parsed = v.safeParse(v.array(json), value);
  if (!parsed.success) throw new RefusalError(code);
  return parsed.output;
}

const METADATA_LIMIT = 16_000;
const metadataShape = v.object({ event_type: v.string(), event_payload: json });

/**
 * Message metadata: undefined when absent, null for an empty object (which removes it). The size limit is from
 * memory; Slack documents only the error.
 */
export function metadataArg(args: Args): Json | null | undefined {
  const value = jsonArg(args, 'metadata', 'invalid_metadata_format');
  if (value === undefined) return undefined;
  const parsed = v.safeParse(json, value);
  if (!parsed.success) throw new RefusalError('invalid_metadata_format');
  if (Object.keys(parsed.output).length === 0) return null;
  if (!v.safeParse(metadataShape, value).success) throw new RefusalError('invalid_metadata_schema');
  if (JSON.stringify(value).length > METADATA_LIMIT) throw new RefusalError('metadata_too_large');
  return parsed.output;
}
