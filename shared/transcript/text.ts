/** Scripts that put no spaces between words. Hangul is not among them. */
const UNSPACED =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\u3000-\\u303F\\uFF00-\\uFFEF]';
const ENDS_UNSPACED = new RegExp(`${UNSPACED}$`, 'u');
const BEGINS_UNSPACED = new RegExp(`^${UNSPACED}`, 'u');
const EACH_UNSPACED = new RegExp(UNSPACED, 'gu');
/** What stands right behind a word. */
const BEHIND = /^[\p{Pe}\p{Pf},.;:!?…%'’،؛؟۔।॥]/u;
/** The end of a sentence, and what closes with it. */
const END = /[.!?…。！？؟۔।॥።]["'’”»)\]）」』]*\s*$/u;
/** Not the end: one letter, or a number of an order. */
const INITIAL = /(?:^|\s)(?:\p{L}|\d+)\.\s*$/u;

/** Puts two texts together as people write them: with a space, unless their script has none. */
export function glue(before: string, after: string): string {
  if (before === '' || after === '') return before + after;
  if (/\s$/u.test(before) || /^\s/u.test(after)) return before + after;
  const close = BEHIND.test(after) || (ENDS_UNSPACED.test(before) && BEGINS_UNSPACED.test(after));
  return close ? before + after : `${before} ${after}`;
}

/** How wide a text is, in letters of the Latin script: those of scripts without spaces take two of them. */
export const widthOf = (text: string): number => text.length + (text.match(EACH_UNSPACED)?.length ?? 0);

export const endsSentence = (text: string): boolean => END.test(text) && !INITIAL.test(text);
