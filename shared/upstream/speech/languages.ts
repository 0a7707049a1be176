/** Target languages of the translation service: ISO 639-1 codes and the names that the service accepts. */
const NAME_BY_CODE: Readonly<Record<string, string>> = {
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
export const LANGUAGES: readonly string[] = Object.values(NAME_BY_CODE);

/**
 * Returns the service's name of a language given as an ISO code (`fr`, `pt-BR`, also `fra`) or a name. Unknown languages
 * are returned in lower case, because the service may support more than it documents.
 */
export function languageName(language: string): string {
  const normalized = language.trim().toLowerCase();
  const code = normalized.split(/[-_]/u)[0] ?? normalized;
  return NAME_BY_CODE[code] ?? NAME_BY_CODE[CODE_BY_ISO_639_2[code] ?? ''] ?? normalized;
}

const CODE_BY_ISO_639_2: Readonly<Record<string, string>> = {
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
