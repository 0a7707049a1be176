/** The languages the bot speaks. */
export const LOCALES = ['en', 'de', 'fr', 'es', 'pt', 'ja', 'ko', 'zh'] as const;
export type Locale = (typeof LOCALES)[number];

/** One text in every language. */
export type LocalizedText = Readonly<Record<Locale, string>>;

/** The same texts in every language: one that lacks a text does not pass the type checker. */
export type PerLocale<Texts extends Readonly<Record<string, string>>> = Readonly<Record<Locale, Texts>>;

const spokenBy = (tag: string | undefined): Locale | undefined => {
  const language = tag?.split(/[-_]/u, 1)[0]?.toLowerCase();
  return LOCALES.find((one) => one === language);
};

/** Whether the bot speaks the language of a tag. */
export const isSpoken = (tag: string | undefined): boolean => spokenBy(tag) !== undefined;

/**
 * The language for a tag as platforms give it (`de-DE`, `pt_BR`). Of several tags, the first that the bot speaks counts; English
 * where it speaks none of them.
 */
export function localeOf(...tags: readonly (string | undefined)[]): Locale {
  for (const tag of tags) {
    const spoken = spokenBy(tag);
    if (spoken) return spoken;
  }
  return 'en';
}
