import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isSetting,
  type SettingsLayers,
  SETTING_LEVELS,
  readLayer,
  resolve,
  SETTINGS,
} from '../../shared/settings/rules/index.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'settings.md'), 'utf8');

/** The rows of the table under a heading, without its head. */
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

const nameIn = (cell = ''): string => cell.replaceAll('`', '');

describe('docs/settings.md', () => {
  test('tells every setting, and the levels that have a say in it', () => {
    const told = rowsUnder('What can be set').map(([name, ...levels]) => [nameIn(name), levels.slice(0, 5)]);
    const known = Object.entries(SETTINGS).map(([name, { levels }]) => [
      name,
      SETTING_LEVELS.map((level) => (levels.some((one) => one === level) ? 'yes' : 'no')),
    ]);
    expect(told).toEqual(known);
  });

  const cases = rowsUnder('Which one holds');

  test('has cases', () => {
    expect(cases.length).toBeGreaterThan(15);
  });

  test.each(cases)('%s: %s, %s, %s, %s, %s holds %s', (...row) => {
    const name = nameIn(row[0]);
    if (!isSetting(name)) throw new Error(`no setting ${name}`);
    const layers: SettingsLayers = Object.fromEntries(
      SETTING_LEVELS.map((level, i) => {
        const cell = row[i + 1] ?? '';
        const value = cell.replace('🔒', '').trim();
        const values = readLayer(value === '' ? {} : { [name]: value });
        return [level, { values, locks: cell.includes('🔒') ? { [name]: { reason: 'because' } } : {} }];
      }),
    );
    const { value = '', from = '', lock } = resolve(name, layers);
    expect([value, from, lock?.by ?? '']).toEqual(row.slice(6));
  });
});

test('what was stored and is no value any more counts as not set', () => {
  const stored = { model: '', temperature: 3, footer: 'yes', video: 'all', nonsense: 1 };
  expect(readLayer(stored)).toEqual({ video: 'all' });
  expect(readLayer('no object')).toEqual({});
});
