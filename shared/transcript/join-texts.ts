/** Scripts without spaces between words. Hangul is not one of them. */
const UNSPACED =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\u3000-\\u303F\\uFF00-\\uFFEF]';
const ENDS_UNSPACED = new RegExp(`${UNSPACED}$`, 'u');
const BEGINS_UNSPACED = new RegExp(`^${UNSPACED}`, 'u');
const EACH_UNSPACED = new RegExp(UNSPACED, 'gu');
/** Characters that follow a word without a space. */
const FOLLOWING_PUNCTUATION = /^[\p{Pe}\p{Pf},.;:!?…%'’،؛؟۔।॥]/u;
/** The end of a sentence, with closing quotes and brackets. */
const SENTENCE_END = /[.!?…。！？؟۔।॥።]["'’”»)\]）」』]*\s*$/u;
/** Not the end of a sentence: an initial or an ordinal number. */
const INITIAL = /(?:^|\s)(?:\p{L}|\d+)\.\s*$/u;

/** Joins two texts with a space, unless their script has none. */
export function joinTexts(before: string, after: string): string {
  if (before === '' || after === '') return before + after;
  if (/\s$/u.test(before) || /^\s/u.test(after)) return before + after;
  const hasNoSpace =
    FOLLOWING_PUNCTUATION.test(after) || (ENDS_UNSPACED.test(before) && BEGINS_UNSPACED.test(after));
  return hasNoSpace ? before + after : `${before} ${after}`;
}

/** Returns the width of a text in Latin letters: letters of scripts without spaces count as two. */
export const getWidth = (text: string): number => text.length + (text.match(EACH_UNSPACED)?.length ?? 0);

export const endsSentence = (text: string): boolean => SENTENCE_END.test(text) && !INITIAL.test(text);
