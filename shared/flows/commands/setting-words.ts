import type { SettingName } from '../../settings/index.ts';
import { isText, type Locale, say } from '../../texts/index.ts';
import { languageIn } from '../voice/languages.ts';

/** What a setting is called in a language. Its name, by which it is typed, is the same in all. */
export const labelOf = (locale: Locale, name: SettingName): string => say(locale, `choices.name.${name}`);

/** What a value of a setting is called in a language; as it is written where it has no name. */
export function valueLabel(locale: Locale, name: SettingName, value: string): string {
  if (value === 'yes' || value === 'no') return say(locale, `choices.${value}`);
  const key = `choices.${name}.${value}`;
  if (isText(key)) return say(locale, key);
  return name === 'language' || name === 'voiceLanguage' ? languageIn(locale, value) : value;
}
