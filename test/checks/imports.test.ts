import { describe, expect, test } from '@jest/globals';
import { cycles, forbidden, importsOf, strayEnvironment } from '../../infra/checks/imports.ts';
import { ROOMS } from '../../infra/checks/rooms.ts';
import { sourceTree } from '../../infra/checks/tree.ts';

const file = (path: string, ...lines: string[]) => ({ path, text: lines.join('\n') });

/** What the table says of a flow that imports `clause` of the store. */
const take = (clause: string) => verdict('shared/flows/x.ts', '../store/index.ts', clause);

/** What the table says of a file at `path` with one import of `target`, written as `import { x } from`. */
const verdict = (path: string, target: string, clause = '{ x }') =>
  forbidden([file(path, `import ${clause} from '${target}';`)]);

describe('this project', () => {
  test('imports nothing that the table forbids, and has a row for every folder', async () => {
    expect(forbidden(await sourceTree())).toEqual([]);
  });

  test('has no import cycle, types included', async () => {
    expect(cycles(await sourceTree())).toEqual([]);
  });

  test('reads the environment in one place', async () => {
    expect(strayEnvironment(await sourceTree())).toEqual([]);
  });

  test('has files in every room of the table', async () => {
    const paths = (await sourceTree()).map(({ path }) => path);
    const empty = Object.keys(ROOMS).filter((room) => !paths.some((path) => path.startsWith(`${room}/`)));
    expect(empty).toEqual([]);
  });
});

describe('imports are found', () => {
  test('in every form that TypeScript has', () => {
    const source = file(
      'shared/flows/x.ts',
      "import a from './a.ts';",
      "import type { B } from '../b/index.ts';",
      'import {',
      '  c,',
      '  type D,',
      "} from './c.ts';",
      "import './e.ts';",
      "export * from './f.ts';",
      "export type { G } from './g.ts';",
      "const h = await import('./h.ts');",
      "type I = import('./i.ts').I;",
    );
    expect(importsOf(source).map(({ target }) => target)).toEqual([
      'shared/flows/a.ts',
      'shared/b/index.ts',
      'shared/flows/c.ts',
      'shared/flows/f.ts',
      'shared/flows/g.ts',
      'shared/flows/e.ts',
      'shared/flows/h.ts',
      'shared/flows/i.ts',
    ]);
  });

  test('and not in comments or in what follows an export', () => {
    const source = file(
      'shared/flows/x.ts',
      " * import a from './a.ts'",
      "// import b from './b.ts'",
      'export const c = 1;',
      "const from = 'd';",
    );
    expect(importsOf(source)).toEqual([]);
  });
});

describe('the table forbids', () => {
  test.each([
    ['a pure room to import another', 'shared/conversation/x.ts', '../limits/index.ts'],
    ['a pure room to use Node', 'shared/limits/x.ts', 'node:fs'],
    ['a pure room to use a package', 'shared/conversation/x.ts', 'undici'],
    ['all of zod', 'shared/store/x.ts', 'zod'],
    ['a flow to use an SDK', 'shared/flows/x.ts', '@slack/web-api'],
    ['a flow to know one platform', 'shared/flows/x.ts', '../platforms/slack/index.ts'],
    ['a platform to know the store', 'shared/platforms/slack/x.ts', '../../store/index.ts'],
    ['the upstream to import a room', 'shared/upstream/x.ts', '../conversation/index.ts'],
    ['the deployment to import what it deploys', 'infra/stack.ts', '../shared/store/index.ts'],
    ['going back', 'shared/store/x.ts', '../flows/index.ts'],
    ['a room to import the functions', 'shared/flows/x.ts', '../../functions/wiring.ts'],
    ['importing tests', 'functions/x.ts', '../test/fakes/dynamo.ts'],
    ['the local engine to import other tests', 'infra/local/x.ts', '../../test/fakes/dynamo.ts'],
    ['entering a room by the window', 'functions/x.ts', '../shared/store/turn-item.ts'],
  ])('%s', (_, path, target) => {
    expect(verdict(path, target)).toHaveLength(1);
  });

  test('types as it forbids values', () => {
    expect(verdict('shared/upstream/x.ts', '../store/index.ts', 'type { X }')).toHaveLength(1);
  });

  test('a folder without a row', () => {
    expect(forbidden([file('shared/attic/x.ts', '')])).toHaveLength(1);
  });

  test('flows to take more than types and errors of the store', () => {
    expect(take('type { Turns }')).toEqual([]);
    expect(take('{ ConditionFailed, type Turns }')).toEqual([]);
    expect(take('{ Turns }')).toHaveLength(1);
    expect(take('* as store')).toHaveLength(1);
  });
});

test.each([
  ['functions/x.ts', '../shared/flows/index.ts'],
  ['functions/x.ts', '../shared/store/dynamo-light.ts'],
  ['shared/store/x.ts', '../runtime/names.ts'],
  ['infra/local/x.ts', '../../test/simulators/slack/world.ts'],
  ['test/store/x.ts', '../../shared/store/turn-item.ts'],
  ['shared/upstream/x.ts', 'undici/lib/dispatcher/agent.js'],
])('%s may import %s', (path, target) => {
  expect(verdict(path, target)).toEqual([]);
});

test('a cycle is shown as a path, even if it holds by types alone', () => {
  const files = [
    file('shared/flows/a.ts', "import type { B } from './b.ts';"),
    file('shared/flows/b.ts', "import { c } from './c.ts';"),
    file('shared/flows/c.ts', "export type { A } from './a.ts';"),
    file('shared/flows/d.ts', "import { a } from './a.ts';"),
  ];
  expect(cycles(files)).toEqual([
    'shared/flows/a.ts -> shared/flows/b.ts -> shared/flows/c.ts -> shared/flows/a.ts',
  ]);
});

test('reading the environment anywhere else is found', () => {
  const reads = 'const home = process.env.HOME;';
  expect(strayEnvironment([file('shared/store/x.ts', reads)])).toHaveLength(1);
  expect(strayEnvironment([file('shared/runtime/config.ts', reads), file('infra/x.ts', reads)])).toEqual([]);
});
