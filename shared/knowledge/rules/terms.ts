/** Scripts that are written without spaces, or where words are short: searched by pairs of characters, as Lucene's CJK analyzer does. */
const PAIRED = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}`;
/** A run of such characters; or a word, which may contain apostrophes and points: `don't`, `3.5`. Combining marks belong to their letter. */
const RUNS = new RegExp(
  String.raw`(?<paired>(?:(?=[\p{L}\p{N}\p{M}])[${PAIRED}])+)|(?:(?![${PAIRED}])[\p{L}\p{N}\p{M}])+(?:['’.](?:(?![${PAIRED}])[\p{L}\p{N}\p{M}])+)*`,
  'gu',
);
/** Other scripts without spaces: cut into words by the dictionaries of ICU. */
const UNSPACED = /[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
/** Accents of Latin, Greek and Cyrillic letters. The marks of Japanese are none of these: か is not が. */
const ACCENTS = /[\u0300-\u036F]/gu;
/** A longer word is cut: nobody searches for it. */
const MAX_TERM_LENGTH = 40;

/**
 * Endings that inflection adds in English, German, French, Spanish and Portuguese, the longest first. Removing them is no grammar; it only has to
 * do the same to the words of a document and to those of a question.
 */
const ENDINGS = ['es', 'en', 'er', 'em', 'os', 'as', 's', 'e', 'n', 'o', 'a'] as const;
/** What stays of a word is at least so long. */
const MIN_STEM_LENGTH = 4;

/** Without differences that people do not search for: case, width, accents, ligatures. */
const normalize = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(ACCENTS, '')
    .normalize('NFC');

/**
 * Returns the terms of a text in order, repeated as often as they occur: words in lower case without accents and inflection; for Chinese, Japanese
 * and Korean, pairs of neighbouring characters.
 */
export function listTerms(text: string): readonly string[] {
  const terms: string[] = [];
  for (const { 0: run, groups } of normalize(text.toWellFormed()).matchAll(RUNS)) {
    if (groups?.['paired'] !== undefined) terms.push(...listPairs(run));
    else if (UNSPACED.test(run)) terms.push(...segmentWords(run));
    else terms.push(stem(run.slice(0, MAX_TERM_LENGTH)));
  }
  return terms;
}

function listPairs(run: string): readonly string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}

const segmentWords = (run: string): readonly string[] =>
  [...new Intl.Segmenter('en', { granularity: 'word' }).segment(run)].map(({ segment }) =>
    segment.slice(0, MAX_TERM_LENGTH),
  );

function stem(word: string): string {
  const plain = word.replace(/['’]s$/u, '');
  if (!/^[a-z]+$/u.test(plain)) return plain;
  if (plain.endsWith('ies') && plain.length > MIN_STEM_LENGTH) return `${plain.slice(0, -3)}y`;
  const ending = ENDINGS.find((one) => plain.endsWith(one) && plain.length - one.length >= MIN_STEM_LENGTH);
  return ending === undefined ? plain : plain.slice(0, -ending.length);
}
