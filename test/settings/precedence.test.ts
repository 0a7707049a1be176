import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isSetting,
  type SettingsLayers,
  SETTING_LEVELS,
  parseSettingValues,
  resolve,
  SETTINGS,
} from '../../shared/settings/rules/index.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'settings.md'), 'utf8');

/** Returns the rows of the table below a heading, without its header. */
function rowsUnder(heading: string): string[][] {
  const [, after = ''] = page.split(`## ${heading}\n`);
  const [section = ''] = after.split('\n## ');
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

const parseName = (cell = ''): string => cell.replaceAll('`', '');

describe('docs/settings.md', () => {
  test('lists every setting with its levels', () => {
    const documented = rowsUnder('What can be set').map(([name, ...levels]) => [
      parseName(name),
      levels.slice(0, 5),
    ]);
    const actual = Object.entries(SETTINGS).map(([name, { levels }]) => [
      name,
      SETTING_LEVELS.map((level) => (levels.some((one) => one === level) ? 'yes' : 'no')),
    ]);
    expect(documented).toEqual(actual);
  });

  const cases = rowsUnder('Which one holds');

  test('has cases of precedence', () => {
    expect(cases.length).toBeGreaterThan(15);
  });

  test.each(cases)('%s: %s, %s, %s, %s, %s holds %s', (...row) => {
    const name = parseName(row[0]);
    if (!isSetting(name)) throw new Error(`no setting ${name}`);
    const layers: SettingsLayers = Object.fromEntries(
      SETTING_LEVELS.map((level, i) => {
        const cell = row[i + 1] ?? '';
        const value = cell.replace('🔒', '').trim();
        const values = parseSettingValues(value === '' ? {} : { [name]: value });
        return [level, { values, locks: cell.includes('🔒') ? { [name]: { reason: 'because' } } : {} }];
      }),
    );
    const { value = '', from = '', lock } = resolve(name, layers);
    expect([value, from, lock?.by ?? '']).toEqual(row.slice(6));
  });
});

test('a stored value that is no longer valid counts as not set', () => {
  const stored = { model: '', temperature: 3, footer: 'yes', video: 'all', nonsense: 1 };
  expect(parseSettingValues(stored)).toEqual({ video: 'all' });
  expect(parseSettingValues('no object')).toEqual({});
});
