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

/** The room for a name in a button's value: see `serializeAction`. */
const MAX_ENCODED_LENGTH = 72;

/**
 * Normalizes the name of a preset: letters, digits and `-`, at most 40, fewer in scripts other than Latin. Undefined if it
 * is invalid.
 */
export function parsePresetName(text: string): string | undefined {
  const name = text.trim().toLowerCase().replaceAll(/\s+/gu, '-');
  const isValid =
    /^[\p{L}\p{N}][\p{L}\p{N}-]{0,39}$/u.test(name) && encodeURIComponent(name).length <= MAX_ENCODED_LENGTH;
  return isValid ? name : undefined;
}

/** The setting that refers to presets of a kind. None refers to schemas: each question names its own. */
export const PRESET_SETTINGS: Readonly<Record<PresetKind, 'persona' | undefined>> = {
  persona: 'persona',
  schema: undefined,
};
