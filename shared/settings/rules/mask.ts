/** The kinds of private data that the setting `mask` names; `all` are those in texts, `media` are pictures, recordings and films. */
export const MASK_KINDS = ['all', 'cards', 'keys', 'emails', 'phones', 'ibans', 'media'] as const;

/** In characters, of all patterns together. */
export const MAX_MASK_PATTERNS_LENGTH = 1_000;
const MAX_PATTERNS = 20;
const MAX_PATTERN_LENGTH = 60;
/** A pattern with fewer certain characters, digits and letters would mask half of a text. */
const MIN_ELEMENTS = 3;

/**
 * Whether a text holds valid patterns for `maskPatterns`: separated by semicolons or line breaks, and each with enough besides `*`. Behind `*`
 * comes a character that `*` does not match, because a search never goes back.
 */
export function areMaskPatterns(text: string): boolean {
  const patterns = text
    .split(/[;\n]/u)
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return patterns.length > 0 && patterns.length <= MAX_PATTERNS && patterns.every(isMaskPattern);
}

function isMaskPattern(pattern: string): boolean {
  const elements = pattern.replaceAll(/\\./gu, '_');
  const certain = elements.replaceAll(/[*\s]/gu, '').length;
  return (
    pattern.length <= MAX_PATTERN_LENGTH && certain >= MIN_ELEMENTS && !/\*[*#?\p{L}\p{N}]/u.test(elements)
  );
}
