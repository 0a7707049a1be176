import type { Json } from '../json.ts';
import { type Fault, UNKNOWN_FIELD } from '../refusal.ts';

/** The path of a value in a body. */
export type Path = readonly (string | number)[];

export const fault = (at: Path, code: string, message: string): Fault => ({ at, code, message });

/** Discord's message for a text or a list that is too long or too short. */
export function lengthFaults(at: Path, value: unknown, least: number, max: number): Fault[] {
  if (typeof value !== 'string' && !Array.isArray(value)) return [];
  // In UTF-16 units, as clients count: nothing that passes here is too long in code points.
  if (value.length >= least && value.length <= max) return [];
  const words =
    least === 0 ? `Must be ${max} or fewer in length.` : `Must be between ${least} and ${max} in length.`;
  return [fault(at, 'BASE_TYPE_BAD_LENGTH', words)];
}

export const missing = (at: Path): Fault => fault(at, 'BASE_TYPE_REQUIRED', 'This field is required');

/**
 * Undocumented fields. Discord ignores them (discord-api-docs#1361), so a misspelled name has no effect; the simulator refuses them
 * unless it is told to ignore them for bots that are not ours (`ignoresUnknownFields`).
 */
export function unknownFields(at: Path, json: Json, names: readonly string[]): Fault[] {
  return Object.keys(json)
    .filter((name) => !names.includes(name))
    .map((name) => fault([...at, name], UNKNOWN_FIELD, 'No document of Discord names this field'));
}
