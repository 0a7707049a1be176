import type { Locale } from '../../texts/index.ts';

/** The languages that the models are known to translate into (interface.md, speech), offered to choose from. */
export const LANGUAGE_CHOICES: readonly string[] = ['en', 'de', 'fr', 'es', 'it', 'pt', 'ja', 'ko', 'zh'];

/** A language by its name in another: `fr` is “French” in English. What is no tag stays as it is. */
export function languageIn(locale: Locale, language: string): string {
  try {
    return new Intl.DisplayNames([locale], { type: 'language' }).of(language) ?? language;
  } catch {
    return language;
  }
}
