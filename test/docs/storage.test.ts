import { expect, test } from '@jest/globals';
import { readSourceTree } from '../../infra/checks/source-tree.ts';

/** How a key begins in a literal, such as `'TURN#` or `` `${POINTER}LEVEL# ``; or a partition key without parts. */
const KEY = /['"`](?:\$\{POINTER\})?([A-Z][A-Z-]+#)|\bpk: \{ S: '([A-Z]+)'|buckets\.take\('([A-Z]+)'/gu;
const STORING = /^(?:shared\/storage|functions\/composition)\/.*\.ts$/u;

test('docs/storage.md names every kind of key in the tables', async () => {
  const files = await readSourceTree();
  const page = files.find(({ path }) => path === 'docs/storage.md')?.text ?? '';
  const prefixes = new Set(
    files
      .filter(({ path }) => STORING.test(path))
      .flatMap(({ text }) =>
        [...text.matchAll(KEY)].map(([, prefix, partition, bucket]) => prefix ?? partition ?? bucket ?? ''),
      ),
  );
  expect(prefixes.size).toBeGreaterThan(50);
  expect([...prefixes].filter((prefix) => !page.includes(`\`${prefix}`))).toEqual([]);
});
