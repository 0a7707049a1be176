/**
 * Characters that make SQS reject a message, because XML 1.0 excludes them: control characters other than tab
 * and line breaks, lone surrogates, U+FFFE and U+FFFF (SQS Developer Guide, "Message quotas").
 */
// oxlint-disable-next-line no-control-regex -- the pattern removes them
const REJECTED_CHARACTERS = /[\0-\x08\v\f\x0E-\x1F\p{Cs}\uFFFE\uFFFF]/gu;

/** Removes the characters that SQS rejects. None of them is visible. */
export const removeRejectedCharacters = (text: string): string => text.replace(REJECTED_CHARACTERS, '');

/**
 * Parses JSON from a platform and applies `removeRejectedCharacters` to every string value. Throws a
 * SyntaxError if it is not JSON.
 */
export const parsePlatformJson = (json: string): unknown =>
  JSON.parse(json, (_key, value: unknown) =>
    typeof value === 'string' ? removeRejectedCharacters(value) : value,
  );
