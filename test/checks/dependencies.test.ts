import { describe, expect, test } from '@jest/globals';
import { findDependencyProblems } from '../../infra/checks/dependencies.ts';
import { readDependencies, readSourceTree } from '../../infra/checks/source-tree.ts';

const file = (path: string, text: string) => ({ path, text });
const FRONT = file('functions/front.ts', "import { a } from '../shared/a.ts';");

describe('dependencies', () => {
  test('of this project are what ships', async () => {
    expect(findDependencyProblems(await readSourceTree(), await readDependencies())).toEqual([]);
  });

  test('lack a devDependency that a function imports through another file', () => {
    const files = [FRONT, file('shared/a.ts', "import x from '@scope/x/deep';")];
    const problems = findDependencyProblems(files, {
      dependencies: {},
      devDependencies: { '@scope/x': '1' },
    });
    expect(problems).toEqual([
      'shared/a.ts: imports @scope/x, which ships and is a devDependency; move it to dependencies',
    ]);
  });

  test('lack a package that npm start loads on demand', () => {
    const files = [file('infra/local/run.ts', "await import('y');")];
    expect(findDependencyProblems(files, { dependencies: {}, devDependencies: {} })).toEqual([
      expect.stringContaining('imports y, which ships and is not in package.json'),
    ]);
  });

  test('contain a package that only a test imports, or only as a type', () => {
    const files = [
      FRONT,
      file('shared/a.ts', "import type { T } from 'types';\nimport { b } from 'node:fs';"),
      file('test/a.test.ts', "import z from 'z';"),
    ];
    const dependencies = { types: '1', z: '1' };
    expect(findDependencyProblems(files, { dependencies, devDependencies: {} })).toEqual([
      expect.stringContaining('no file that ships imports types'),
      expect.stringContaining('no file that ships imports z'),
    ]);
  });
});
