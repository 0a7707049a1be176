import { type Locale, LOCALES } from './index.ts';

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

/** The code of a language given by its name in any language that the bot speaks, or in itself; what is none stays. */
export function languageCode(text: string): string {
  const word = text.trim().toLowerCase();
  byName ??= namesOfLanguages();
  return byName.get(word) ?? text.trim();
}

/** Built when a name is first looked up: codes by their names in small letters. */
let byName: ReadonlyMap<string, string> | undefined;

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz');

/** All languages that have a code of two letters and a name. Those that are offered come last, so that their names are theirs. */
function namesOfLanguages(): ReadonlyMap<string, string> {
  const english = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const pairs = LETTERS.flatMap((first) => LETTERS.map((second) => `${first}${second}`));
  const codes = [...pairs.filter((code) => english.of(code) !== undefined), ...LANGUAGE_CHOICES];
  const speakers = LOCALES.map((locale) => new Intl.DisplayNames([locale], { type: 'language' }));
  const named = codes.flatMap((code) => {
    const own = new Intl.DisplayNames([code], { type: 'language' });
    return [...speakers, own].map((names) => [(names.of(code) ?? code).toLowerCase(), code] as const);
  });
  return new Map(named);
}
