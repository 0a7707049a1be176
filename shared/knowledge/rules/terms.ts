/** Scripts that are written without spaces, or where words are short: searched by pairs of characters, as Lucene's CJK analyzer does. */
const PAIRED = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}`;
/** A run of such characters; or a word, which may contain apostrophes and points: `don't`, `3.5`. Combining marks belong to their letter. */
const RUNS = new RegExp(
  String.raw`(?<paired>(?:(?=[\p{L}\p{N}\p{M}])[${PAIRED}])+)|(?:(?![${PAIRED}])[\p{L}\p{N}\p{M}])+(?:['.](?:(?![${PAIRED}])[\p{L}\p{N}\p{M}])+)*`,
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
/** Articles, pronouns and the like that French, Catalan and Italian join to the next word: `l'entreprise`, `dell'azienda`. */
const ELISION = /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quelqu|un|quest|(?:[dn]?[ae]|da|su|que)ll)'/u;

/** What stays of a word is at least so long. */
const MIN_STEM_LENGTH = 4;

/** Without differences that people do not search for: case, width, accents, ligatures, forms of the apostrophe. */
const normalize = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('’', "'")
    .normalize('NFD')
    .replaceAll(ACCENTS, '')
    .normalize('NFC');

/**
 * Returns the terms of a text in order, repeated as often as they occur: words in lower case without accents and inflection; for Chinese, Japanese
 * and Korean, pairs of neighbouring characters.
 */
export const listTerms = (text: string): readonly string[] => collectTerms(text, stem);

/**
 * Returns the terms to search for, of the first `count` different words of a query: of each word its term, and others under which the word may be stored.
 * `categories` is stored as `category` in any language, but the French `categorie` as `categori`; earlier versions stored words with an apostrophe as they
 * were written.
 */
export function listSearchedTerms(query: string, count: number): readonly string[] {
  const forms = new Map<string, readonly string[]>();
  const terms = collectTerms(query, (word) => {
    const term = stem(word);
    forms.set(term, [...(forms.get(term) ?? []), ...listOtherForms(word)]);
    return term;
  });
  const words = [...new Set(terms)].slice(0, count);
  return [...new Set(words.flatMap((term) => [term, ...(forms.get(term) ?? [])]))];
}

/** `toTerm` is called for what is written with spaces. */
function collectTerms(text: string, toTerm: (word: string) => string): readonly string[] {
  const terms: string[] = [];
  for (const { 0: run, groups } of normalize(text.toWellFormed()).matchAll(RUNS)) {
    if (groups?.['paired'] !== undefined) terms.push(...listPairs(run));
    else if (UNSPACED.test(run)) terms.push(...segmentWords(run));
    else terms.push(toTerm(run.slice(0, MAX_TERM_LENGTH)));
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

const withoutApostrophes = (word: string): string => word.replace(/'s$/u, '').replace(ELISION, '');

function stem(word: string): string {
  const plain = withoutApostrophes(word);
  if (!/^[a-z]+$/u.test(plain)) return plain;
  if (plain.endsWith('ies') && plain.length > MIN_STEM_LENGTH) return `${plain.slice(0, -3)}y`;
  const ending = ENDINGS.find((one) => plain.endsWith(one) && plain.length - one.length >= MIN_STEM_LENGTH);
  return ending === undefined ? plain : plain.slice(0, -ending.length);
}

function listOtherForms(word: string): readonly string[] {
  const [, start] = /^([a-z]+)ies?$/u.exec(withoutApostrophes(word)) ?? [];
  const plurals =
    start !== undefined && start.length + 1 >= MIN_STEM_LENGTH ? [`${start}y`, `${start}i`] : [];
  const written = word.replace(/'s$/u, '');
  return written.includes("'") ? [...plurals, written, written.replaceAll("'", '’')] : plurals;
}
