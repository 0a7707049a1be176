/**
 * What SQS rejects a message for: the characters that XML 1.0 excludes, which are control characters besides tab and line breaks,
 * lone surrogates, U+FFFE and U+FFFF (SQS Developer Guide, "Message quotas").
 */
// oxlint-disable-next-line no-control-regex -- these are what it is about
const REJECTED = /[\0-\x08\v\f\x0E-\x1F\p{Cs}\uFFFE\uFFFF]/gu;

/** Text of a person or a platform without the characters that no queue takes and nobody can see. */
export const allowedText = (text: string): string => text.replace(REJECTED, '');

/**
 * Reads JSON that comes from a platform, the texts in it without what `allowedText` removes. Throws a SyntaxError where it is
 * no JSON.
 */
export const parseInput = (json: string): unknown =>
  JSON.parse(json, (_key, value: unknown) => (typeof value === 'string' ? allowedText(value) : value));
