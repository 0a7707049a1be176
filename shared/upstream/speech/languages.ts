/** The languages that the service translates to, by the names it takes, with their ISO 639-1 codes. */
const NAMES: Readonly<Record<string, string>> = {
  en: 'english',
  fr: 'french',
  es: 'spanish',
  ja: 'japanese',
  zh: 'chinese',
  ko: 'korean',
  it: 'italian',
  pt: 'portuguese',
  de: 'german',
};

/** The names of all languages that are known to work. */
export const LANGUAGES: readonly string[] = Object.values(NAMES);

/**
 * The name that the service takes for a language: an ISO code (`fr`, `pt-BR`, also `fra`) or a name in any case. What is
 * not known is passed on in lower case, as the service may know more languages than its description.
 */
export function languageName(language: string): string {
  const word = language.trim().toLowerCase();
  const code = word.split(/[-_]/u)[0] ?? word;
  return NAMES[code] ?? NAMES[THREE_LETTERS[code] ?? ''] ?? word;
}

const THREE_LETTERS: Readonly<Record<string, string>> = {
  eng: 'en',
  fra: 'fr',
  fre: 'fr',
  spa: 'es',
  jpn: 'ja',
  zho: 'zh',
  chi: 'zh',
  kor: 'ko',
  ita: 'it',
  por: 'pt',
  deu: 'de',
  ger: 'de',
};
