import { expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMissingTexts } from '../../../infra/cdk/find-missing-texts.ts';

test('the build fails and names a text that one language lacks or has alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-texts-'));
  try {
    mkdirSync(join(folder, 'area'));
    const write = (locale: string, words: object) =>
      writeFileSync(join(folder, 'area', `${locale}.json`), JSON.stringify(words));
    write('en', { a: 'A', b: 'B' });
    write('de', { a: 'Ä', b: 'B' });
    expect(findMissingTexts(folder)).toEqual([]);
    write('de', { a: 'Ä', c: 'C' });
    expect(findMissingTexts(folder)).toEqual(['area/de.json: b', 'area/de.json: c']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('all languages have the same texts', () => {
  expect(findMissingTexts(join(import.meta.dirname, '../../..', 'shared', 'i18n'))).toEqual([]);
});
