import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { row, ROWS } from './rows.ts';

async function tested(): Promise<string[]> {
  const here = import.meta.dirname;
  const names = (await readdir(here)).filter((name) => name.endsWith('.test.ts'));
  const sources = await Promise.all(names.map(async (name) => readFile(join(here, name), 'utf8')));
  return sources.flatMap((source) =>
    [...source.matchAll(/\btest\(\s*row\('([A-Z]+-\d{3})'\)/gu)].map(([, id = '']) => id),
  );
}

test('each row has one test, or a reason for none', async () => {
  const titles = await tested();
  expect(titles.filter((id, at) => titles.indexOf(id) !== at)).toEqual([]);
  const wanted = ROWS.filter(({ notApplicable }) => notApplicable === undefined).map(({ id }) => id);
  expect(titles.toSorted()).toEqual(wanted.toSorted());
});

test('an unknown row has no title', () => {
  expect(() => row('GEN-999')).toThrow('GEN-999');
});

// The list itself is not part of the project; where it is at hand, it has to be this one.
const list = join(process.env['PARLEY_SHARED'] ?? '', 'reference', 'upstream-requirements.md');

(existsSync(list) ? describe : describe.skip)(
  'the list (skipped unless PARLEY_SHARED names the folder of reference/)',
  () => {
    test('names these rows, each with the side that it binds', async () => {
      const text = await readFile(list, 'utf8');
      const listed = [...text.matchAll(/^\| ([A-Z]{3,4}-\d{3}) \| (\w+) \|/gmu)];
      expect(ROWS.map(({ id, side }) => [id, side])).toEqual(listed.map(([, id, who]) => [id, who]));
    });
  },
);
