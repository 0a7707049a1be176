/** What people save by name: a system prompt, and a form that answers fill in. */
export type PresetKind = 'persona' | 'schema';

/** Characters of one, by kind. */
export const MAX_SAVED_LENGTH: Readonly<Record<PresetKind, number>> = { persona: 4_000, schema: 3_000 };
/** Of one kind in a workspace. */
export const MAX_SAVED = 50;

/** What of a name a button carries: see `serializeAction`. */
const MAX_WRITTEN_LENGTH = 72;

/**
 * A name as it is kept: letters, digits and `-`, at most 40, fewer in other scripts than the Latin one. Undefined for
 * anything else.
 */
export function parsePresetName(given: string): string | undefined {
  const name = given.trim().toLowerCase().replaceAll(/\s+/gu, '-');
  const fits =
    /^[\p{L}\p{N}][\p{L}\p{N}-]{0,39}$/u.test(name) && encodeURIComponent(name).length <= MAX_WRITTEN_LENGTH;
  return fits ? name : undefined;
}

/** By which setting levels refer to texts of a kind. Nothing refers to schemas: they are named anew with each question. */
export const SETTING_OF_PRESET: Readonly<Record<PresetKind, 'persona' | undefined>> = {
  persona: 'persona',
  schema: undefined,
};
