/** The languages of the bot. */
export const LOCALES = ['en', 'de', 'fr', 'es', 'pt', 'ja', 'ko', 'zh'] as const;
export type Locale = (typeof LOCALES)[number];

/** One text in every language. */
export type LocalizedText = Readonly<Record<Locale, string>>;

/**
 * Returns a text, given its translations in the order of `LOCALES`. For texts in the bundles of fronts, where the names of the
 * languages would take a tenth of the space of each text.
 */
export const inLocales = (
  en: string,
  de: string,
  fr: string,
  es: string,
  pt: string,
  ja: string,
  ko: string,
  zh: string,
): LocalizedText => ({ en, de, fr, es, pt, ja, ko, zh });

/** The same keys in every language; the type checker rejects a missing text. */
export type PerLocale<Texts extends Readonly<Record<string, string>>> = Readonly<Record<Locale, Texts>>;

const findLocale = (tag: string | undefined): Locale | undefined => {
  const language = tag?.split(/[-_]/u, 1)[0]?.toLowerCase();
  return LOCALES.find((candidate) => candidate === language);
};

/** Whether the bot supports the language of a tag. */
export const isSupportedLanguage = (tag: string | undefined): boolean => findLocale(tag) !== undefined;

/**
 * Returns the locale for language tags as platforms send them (`de-DE`, `pt_BR`): of the first tag with a supported
 * language, else English.
 */
export function toLocale(...tags: readonly (string | undefined)[]): Locale {
  for (const tag of tags) {
    const locale = findLocale(tag);
    if (locale) return locale;
  }
  return 'en';
}
