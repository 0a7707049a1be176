/** What people save by name: a system prompt, and a form that answers fill in. */
export type SavedKind = 'persona' | 'schema';

/** Characters of one, by kind. */
export const LONGEST_SAVED: Readonly<Record<SavedKind, number>> = { persona: 4_000, schema: 3_000 };
/** Of one kind in a workspace. */
export const MOST_SAVED = 50;

/** What of a name a button carries: see `actionText`. */
const LONGEST_WRITTEN = 72;

/**
 * A name as it is kept: letters, digits and `-`, at most 40, fewer in other scripts than the Latin one. Undefined for
 * anything else.
 */
export function savedName(given: string): string | undefined {
  const name = given.trim().toLowerCase().replaceAll(/\s+/gu, '-');
  const fits =
    /^[\p{L}\p{N}][\p{L}\p{N}-]{0,39}$/u.test(name) && encodeURIComponent(name).length <= LONGEST_WRITTEN;
  return fits ? name : undefined;
}

/** By which setting levels refer to texts of a kind. Nothing refers to schemas: they are named anew with each question. */
export const SETTING_OF: Readonly<Record<SavedKind, 'persona' | undefined>> = {
  persona: 'persona',
  schema: undefined,
};
