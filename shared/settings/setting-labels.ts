import {
  MASK_KINDS,
  MAX_CHANNEL_FACTS_LENGTH,
  MAX_INSTRUCTIONS_LENGTH,
  type SettingName,
  SETTINGS,
} from './rules/index.ts';
import { isText, type Locale, LOCALES, localize, getLanguageName } from '../i18n/index.ts';

/** Returns the label of a setting. The name that people type is the same in all languages. */
export const getSettingLabel = (locale: Locale, name: SettingName): string =>
  localize(locale, `choices.name.${name}`);

/** Returns the label of a setting's value; the value itself if it has no label. */
export function getValueLabel(locale: Locale, name: SettingName, value: string): string {
  if (value === 'yes' || value === 'no') return localize(locale, `choices.${value}`);
  const key = `choices.${name}.${value}`;
  if (isText(key)) return localize(locale, key);
  return name === 'language' || name === 'voiceLanguage' ? getLanguageName(locale, value) : value;
}

/**
 * Finds the value whose label a person typed, in their language or else in another one; undefined if there is none. Case, width, spaces and accents make no
 * difference.
 */
export function findValueByLabel(
  name: SettingName,
  values: readonly string[],
  text: string,
  locale: Locale,
): string | undefined {
  const label = normalizeLabel(text);
  for (const language of new Set([locale, ...LOCALES])) {
    const value = values.find((one) => normalizeLabel(getValueLabel(language, name, one)) === label);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Whether a text is the label for removing a value, in any language. */
export const isResetLabel = (text: string): boolean =>
  LOCALES.some((locale) => normalizeLabel(localize(locale, 'settings.reset')) === normalizeLabel(text));

/** Of accents only those of Latin letters: in Japanese others make another letter. */
const normalizeLabel = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/gu, '')
    .trim()
    .replaceAll(/\s+/gu, ' ')
    .toLowerCase();

/** More values are shown as `…`. */
const MAX_LISTED_VALUES = 40;

/** Appends the valid values to a refusal, if there are any. */
export function appendValues(refusal: string, values: readonly string[], locale: Locale): string {
  if (values.length === 0) return refusal;
  const listed = values.slice(0, MAX_LISTED_VALUES).map((value) => `\`${value}\``);
  const more = values.length > MAX_LISTED_VALUES ? ['…'] : [];
  return `${refusal} ${localize(locale, 'commands.help.values', { values: [...listed, ...more].join(', ') })}`;
}

/** Describes the valid values of a setting in a sentence. */
export function describeValues(name: SettingName, locale: Locale): string {
  const setting = SETTINGS[name];
  switch (setting.format) {
    case 'number':
    case 'integer': {
      const bounds = { least: setting.min, most: setting.max };
      const key = setting.format === 'number' ? 'not-a-number' : 'not-whole';
      return describeExpected(locale, localize(locale, `commands.help.${key}`, bounds));
    }
    case 'yes-no':
      return describeExpected(locale, localize(locale, 'commands.help.not-yes-no'));
    case 'language':
      return describeExpected(locale, localize(locale, 'settings.expected.language'));
    case 'list':
      if (name === 'mask') return localize(locale, 'commands.help.values', { values: codes(MASK_KINDS) });
      return describeExpected(locale, localize(locale, 'settings.expected.list'));
    case 'text': {
      if (name === 'maskPatterns')
        return describeExpected(locale, localize(locale, 'settings.expected.patterns'));
      const maxLength = TEXT_LENGTHS.get(name) ?? MAX_NAME_LENGTH;
      return describeExpected(locale, localize(locale, 'commands.help.too-long', { most: maxLength }));
    }
    default: {
      const values = setting.format.map((value) => formatValue(value, getValueLabel(locale, name, value)));
      return localize(locale, 'commands.help.values', { values: values.join(', ') });
    }
  }
}

/** Formats a value with its label, unless they are the same word: `high` (Alto). */
const formatValue = (value: string, label: string): string =>
  label.toLowerCase() === value ? `\`${value}\`` : `\`${value}\` (${label})`;

const codes = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ');

/** For names of models; those of personas are shorter. */
const MAX_NAME_LENGTH = 150;

/** Longer texts. */
const TEXT_LENGTHS: ReadonlyMap<SettingName, number> = new Map([
  ['instructions', MAX_INSTRUCTIONS_LENGTH],
  ['channelFacts', MAX_CHANNEL_FACTS_LENGTH],
]);

const describeExpected = (locale: Locale, values: string): string =>
  localize(locale, 'settings.expected', { values });
