const SINGLE = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]`;
const TOKEN = new RegExp(
  String.raw`\s*${SINGLE}|\s*(?:(?!${SINGLE})[\p{L}\p{M}\p{N}_]){1,8}|\s*[^\s\p{L}\p{N}_]|\s+`,
  'gu',
);

/**
 * Cuts a text into the pieces that this model counts and streams: a word of up to eight letters with the blanks before
 * it, a sign, a Han character. The pieces put together are the text again.
 */
export function tokenize(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

/** How many tokens a text counts. */
export function countTokens(text: string): number {
  let count = 0;
  TOKEN.lastIndex = 0;
  while (TOKEN.test(text)) count += 1;
  return count;
}
