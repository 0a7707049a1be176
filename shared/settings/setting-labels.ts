import { MAX_INSTRUCTIONS_LENGTH, type SettingName, SETTINGS } from './rules/index.ts';
import { isText, type Locale, localize } from '../i18n/index.ts';
import { getLanguageName } from '../i18n/translation-languages.ts';

/** What a setting is called in a language. Its name, by which it is typed, is the same in all. */
export const labelOf = (locale: Locale, name: SettingName): string =>
  localize(locale, `choices.name.${name}`);

/** What a value of a setting is called in a language; as it is written where it has no name. */
export function valueLabel(locale: Locale, name: SettingName, value: string): string {
  if (value === 'yes' || value === 'no') return localize(locale, `choices.${value}`);
  const key = `choices.${name}.${value}`;
  if (isText(key)) return localize(locale, key);
  return name === 'language' || name === 'voiceLanguage' ? getLanguageName(locale, value) : value;
}

/** Of a list of what there is, so many are named. */
const MAX_NAMED = 40;

/** A refusal with the values that would have been taken; as it is where there are none. */
export function withValues(refusal: string, values: readonly string[], locale: Locale): string {
  if (values.length === 0) return refusal;
  const named = values.slice(0, MAX_NAMED).map((value) => `\`${value}\``);
  const more = values.length > MAX_NAMED ? ['…'] : [];
  return `${refusal} ${localize(locale, 'commands.help.values', { values: [...named, ...more].join(', ') })}`;
}

/** The values that a setting takes, as a sentence. */
export function valuesOf(name: SettingName, locale: Locale): string {
  const setting = SETTINGS[name];
  switch (setting.written) {
    case 'number':
    case 'whole-number': {
      const bounds = { least: setting.least, most: setting.most };
      const key = setting.written === 'number' ? 'not-a-number' : 'not-whole';
      return expected(locale, localize(locale, `commands.help.${key}`, bounds));
    }
    case 'yes-no':
      return expected(locale, localize(locale, 'commands.help.not-yes-no'));
    case 'language':
      return expected(locale, localize(locale, 'settings.expected.language'));
    case 'list':
      return expected(locale, localize(locale, 'settings.expected.list'));
    case 'words': {
      const most = name === 'instructions' ? MAX_INSTRUCTIONS_LENGTH : MAX_NAME_LENGTH;
      return expected(locale, localize(locale, 'commands.help.too-long', { most }));
    }
    default:
      return localize(locale, 'commands.help.values', {
        values: setting.written.map((value) => `\`${value}\``).join(', '),
      });
  }
}

/** Of a model; names of personas are shorter. */
const MAX_NAME_LENGTH = 150;

const expected = (locale: Locale, values: string): string =>
  localize(locale, 'settings.expected', { values });
