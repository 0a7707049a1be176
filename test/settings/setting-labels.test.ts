import { describe, expect, test } from '@jest/globals';
import { getSettingLabel, getValueLabel } from '../../shared/settings/setting-labels.ts';
import { isSetting, SETTINGS } from '../../shared/settings/rules/index.ts';
import { LOCALES } from '../../shared/i18n/index.ts';

const NAMES = Object.keys(SETTINGS).filter(isSetting);

describe.each(LOCALES)('in %s', (locale) => {
  test('every setting and every value of a menu has a label', () => {
    for (const name of NAMES) {
      expect(getSettingLabel(locale, name)).not.toBe('');
      const { format } = SETTINGS[name];
      for (const value of typeof format === 'string' ? [] : format) {
        expect([name, value, getValueLabel(locale, name, value)]).not.toEqual([name, value, value]);
      }
    }
  });
});

test('languages and fixed values have labels; names that people chose stay as they are', () => {
  expect(getValueLabel('de', 'language', 'ja')).toBe('Japanisch');
  expect(getValueLabel('ja', 'voiceLanguage', 'none')).toBe('なし');
  expect(getValueLabel('fr', 'footer', 'no')).toBe('Non');
  expect(getValueLabel('de', 'persona', 'pirate')).toBe('pirate');
});
