import { type Locale, LOCALES } from './locale.ts';

/** Target languages that the speech models are known to support (interface.md, speech), offered as choices. */
export const LANGUAGE_CHOICES: readonly string[] = ['en', 'de', 'fr', 'es', 'it', 'pt', 'ja', 'ko', 'zh'];

/** Returns the name of a language in another language: `fr` is “French” in English. An invalid tag is returned unchanged. */
export function getLanguageName(locale: Locale, language: string): string {
  try {
    return new Intl.DisplayNames([locale], { type: 'language' }).of(language) ?? language;
  } catch {
    return language;
  }
}

/** Returns the code of a language given by its name in any supported language or in itself. Other text is returned trimmed. */
export function findLanguageCode(text: string): string {
  const word = text.trim().toLowerCase();
  codesByName ??= buildCodesByName();
  return codesByName.get(word) ?? text.trim();
}

/** Codes by lower-case name. Built at the first lookup. */
let codesByName: ReadonlyMap<string, string> | undefined;

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz');

/** Codes by name of all languages with a two-letter code. Offered languages come last, so that they win name conflicts. */
function buildCodesByName(): ReadonlyMap<string, string> {
  const english = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const pairs = LETTERS.flatMap((first) => LETTERS.map((second) => `${first}${second}`));
  const codes = [...pairs.filter((code) => english.of(code) !== undefined), ...LANGUAGE_CHOICES];
  const displayNames = LOCALES.map((locale) => new Intl.DisplayNames([locale], { type: 'language' }));
  const entries = codes.flatMap((code) => {
    const ownNames = new Intl.DisplayNames([code], { type: 'language' });
    return [...displayNames, ownNames].map(
      (names) => [(names.of(code) ?? code).toLowerCase(), code] as const,
    );
  });
  return new Map(entries);
}
