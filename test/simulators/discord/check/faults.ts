import type { Json } from '../json.ts';
import type { Fault } from '../refusal.ts';

/** Where a thing stands in a body. */
export type Path = readonly (string | number)[];

export const fault = (at: Path, code: string, message: string): Fault => ({ at, code, message });

/** Discord's words for a text or a list that is too long or too short. */
export function lengthFaults(at: Path, value: unknown, least: number, most: number): Fault[] {
  if (typeof value !== 'string' && !Array.isArray(value)) return [];
  // In UTF-16 units, as clients count them: nothing that passes here is too long by code points.
  if (value.length >= least && value.length <= most) return [];
  const words =
    least === 0 ? `Must be ${most} or fewer in length.` : `Must be between ${least} and ${most} in length.`;
  return [fault(at, 'BASE_TYPE_BAD_LENGTH', words)];
}

export const missing = (at: Path): Fault => fault(at, 'BASE_TYPE_REQUIRED', 'This field is required');

/**
 * Fields that no document names. Discord passes over them without a word; a misspelt name then does nothing, so the
 * simulator refuses what Discord would ignore.
 */
export function unknownFields(at: Path, json: Json, names: readonly string[]): Fault[] {
  return Object.keys(json)
    .filter((name) => !names.includes(name))
    .map((name) =>
      fault([...at, name], 'SIMULATOR_UNKNOWN_FIELD', 'No document of Discord names this field'),
    );
}
