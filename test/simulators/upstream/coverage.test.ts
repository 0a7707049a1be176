import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ABSENT, supportedRows } from './coverage.ts';

const ROW = /\b[A-Z]{3,4}-\d{3}\b/gu;

async function titledRows(): Promise<Set<string>> {
  const here = import.meta.dirname;
  const names = (await readdir(here)).filter((name) => name.endsWith('.test.ts'));
  const sources = await Promise.all(names.map(async (name) => readFile(join(here, name), 'utf8')));
  return new Set(sources.flatMap((source) => source.match(ROW) ?? []));
}

test('the ids in test titles are exactly the claimed rows', async () => {
  const claimed = supportedRows();
  expect(new Set(claimed).size).toBe(claimed.length);
  expect([...(await titledRows())].toSorted()).toEqual(claimed.toSorted());
});

// The list itself is not part of the project; where it is available, it must be complete here.
const list = join(process.env['PARLEY_SHARED'] ?? '', 'reference', 'upstream-requirements.md');

const listed = existsSync(list);

(listed ? describe : describe.skip)(
  'the list (skipped unless PARLEY_SHARED names the folder of reference/)',
  () => {
    test('every row of the simulator and of both sides is claimed or explained', async () => {
      const text = await readFile(list, 'utf8');
      const rows = [...text.matchAll(/^\| ([A-Z]{3,4}-\d{3}) \| (\w+) \|/gmu)];
      expect(rows).toHaveLength(345);
      const knownRows = new Set([...supportedRows(), ...Object.keys(ABSENT)]);
      const missing = rows.filter(([, id = '', who]) => (who === 'S' || who === 'CS') && !knownRows.has(id));
      expect(missing.map(([, id]) => id)).toEqual([]);
    });
  },
);
