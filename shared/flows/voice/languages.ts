import { type Locale, LOCALES } from '../../texts/index.ts';

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

/** The code of a language that is offered, given by its name in any language that the bot speaks, or in itself; what is none stays. */
export function languageCode(text: string): string {
  const word = text.trim().toLowerCase();
  const named = (code: string): boolean =>
    [...LOCALES, code].some((locale) => nameIn(locale, code).toLowerCase() === word);
  return LANGUAGE_CHOICES.find(named) ?? text.trim();
}

const nameIn = (locale: string, code: string): string =>
  new Intl.DisplayNames([locale], { type: 'language' }).of(code) ?? code;
