import { describe, expect, test } from '@jest/globals';
import { isPermissive, findUnpermittedLicences } from '../../infra/checks/licences.ts';
import { findDeadLinks } from '../../infra/checks/links.ts';
import { findLongFiles } from '../../infra/checks/file-sizes.ts';
import { readSourceTree } from '../../infra/checks/source-tree.ts';

describe('sizes', () => {
  test('no file of this project is too long', async () => {
    expect(findLongFiles(await readSourceTree())).toEqual([]);
  });

  test('are counted in lines, for code alone', () => {
    const long = 'x\n'.repeat(301);
    const files = [
      { path: 'a.ts', text: long },
      { path: 'b.ts', text: 'x\n'.repeat(300) },
      { path: 'c.md', text: long },
    ];
    expect(findLongFiles(files)).toEqual([expect.stringContaining('a.ts: 301 lines')]);
  });
});

describe('licences', () => {
  test('of all packages, development tools included, are permissive or listed as exceptions', async () => {
    expect(await findUnpermittedLicences()).toEqual([]);
  });

  test.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0)', true],
    ['MIT AND CC0-1.0', true],
    ['MIT AND GPL-3.0', false],
    ['AGPL-3.0', false],
    ['names no licence', false],
  ])('%s', (expression, free) => {
    expect(isPermissive(expression)).toBe(free);
  });
});

describe('links', () => {
  test('of the documents lead somewhere', async () => {
    expect(findDeadLinks(await readSourceTree())).toEqual([]);
  });

  test('to missing files and headings are found', () => {
    const text =
      '# One heading\n[a](#one-heading) [b](#other) [c](package.json) [d](gone.md) [e](https://x.org/)';
    expect(findDeadLinks([{ path: 'README.md', text }])).toEqual([
      'README.md: #other leads nowhere',
      'README.md: gone.md leads nowhere',
    ]);
  });
});
