/** What people save under a name: a persona (system prompt) or a JSON schema for answers. */
export type PresetKind = 'persona' | 'schema';

/** The longest texts, in characters. Constants of their own: a bundler keeps what reads a property, even if nothing uses it. */
export const MAX_PERSONA_LENGTH = 4_000;
export const MAX_SCHEMA_LENGTH = 3_000;
/** In characters. */
export const MAX_PRESET_LENGTH: Readonly<Record<PresetKind, number>> = {
  persona: MAX_PERSONA_LENGTH,
  schema: MAX_SCHEMA_LENGTH,
};
/** Per kind and workspace. */
export const MAX_PRESETS = 50;

/** In UTF-16 units. A button's value has room for it: see `serializeAction`. */
export const MAX_PRESET_NAME_LENGTH = 40;

/**
 * Normalizes the name of a preset: letters with their marks, digits and `-`, at most 40 characters. Undefined if it is invalid. Invisible marks are:
 * two names would look the same.
 */
export function parsePresetName(text: string): string | undefined {
  const name = text.trim().normalize('NFC').toLowerCase().replaceAll(/\s+/gu, '-');
  const isValid =
    name.length <= MAX_PRESET_NAME_LENGTH && /^[\p{L}\p{N}](?:[\p{L}\p{N}-]|(?!\p{DI})\p{M})*$/u.test(name);
  return isValid ? name : undefined;
}

/** The setting that refers to presets of a kind. None refers to schemas: each question names its own. */
export const PRESET_SETTINGS: Readonly<Record<PresetKind, 'persona' | undefined>> = {
  persona: 'persona',
  schema: undefined,
};
