import { describe, expect, test } from '@jest/globals';
import { labelOf, valueLabel } from '../../shared/settings/setting-labels.ts';
import { isSetting, SETTINGS } from '../../shared/settings/rules/index.ts';
import { LOCALES } from '../../shared/i18n/index.ts';

const NAMES = Object.keys(SETTINGS).filter(isSetting);

describe.each(LOCALES)('in %s', (locale) => {
  test('every setting and every value of a menu has a name', () => {
    for (const name of NAMES) {
      expect(labelOf(locale, name)).not.toBe('');
      const { written } = SETTINGS[name];
      for (const value of typeof written === 'string' ? [] : written) {
        expect([name, value, valueLabel(locale, name, value)]).not.toEqual([name, value, value]);
      }
    }
  });
});

test('languages are named by the language itself; what people wrote is left alone', () => {
  expect(valueLabel('de', 'language', 'ja')).toBe('Japanisch');
  expect(valueLabel('ja', 'voiceLanguage', 'none')).toBe('なし');
  expect(valueLabel('fr', 'footer', 'no')).toBe('Non');
  expect(valueLabel('de', 'persona', 'pirate')).toBe('pirate');
});
