import { describe, expect, test } from '@jest/globals';
import {
  findCycles,
  findFolderCycles,
  findForbiddenImports,
  findImports,
  findEnvironmentAccess,
} from '../../infra/checks/imports.ts';
import { MODULES } from '../../infra/checks/module-boundaries.ts';
import { readSourceTree } from '../../infra/checks/source-tree.ts';

const file = (path: string, ...lines: string[]) => ({ path, text: lines.join('\n') });

/** What the table says of a feature that imports `clause` from storage. */
const take = (clause: string) => verdict('shared/chat/x.ts', '../storage/index.ts', clause);

/** What the table says of a file at `path` with one import of `target`, written as `import { x } from`. */
const verdict = (path: string, target: string, clause = '{ x }') =>
  findForbiddenImports([file(path, `import ${clause} from '${target}';`)]);

describe('this project', () => {
  test('imports nothing that the table forbids, and has a module for every folder', async () => {
    expect(findForbiddenImports(await readSourceTree())).toEqual([]);
  });

  test('has no import cycle, types included', async () => {
    expect(findCycles(await readSourceTree())).toEqual([]);
  });

  test('has no cycle between the folders of a module with an index, types included', async () => {
    expect(findFolderCycles(await readSourceTree())).toEqual([]);
  });

  test('reads the environment in one place', async () => {
    expect(findEnvironmentAccess(await readSourceTree())).toEqual([]);
  });

  test('has files in every module of the table', async () => {
    const paths = (await readSourceTree()).map(({ path }) => path);
    const empty = MODULES.filter(({ folder }) => !paths.some((path) => path.startsWith(`${folder}/`)));
    expect(empty).toEqual([]);
  });
});

describe('imports are found', () => {
  test('in every form that TypeScript has', () => {
    const source = file(
      'shared/chat/x.ts',
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
    expect(findImports(source).map(({ target }) => target)).toEqual([
      'shared/chat/a.ts',
      'shared/b/index.ts',
      'shared/chat/c.ts',
      'shared/chat/f.ts',
      'shared/chat/g.ts',
      'shared/chat/e.ts',
      'shared/chat/h.ts',
      'shared/chat/i.ts',
    ]);
  });

  test('and not in comments or in what follows an export', () => {
    const source = file(
      'shared/chat/x.ts',
      " * import a from './a.ts'",
      "// import b from './b.ts'",
      'export const c = 1;',
      "const from = 'd';",
    );
    expect(findImports(source)).toEqual([]);
  });
});

describe('the table forbids', () => {
  test.each([
    ['a module that stands alone to import another', 'shared/domain/x.ts', '../rate-limits/index.ts'],
    ['a pure module to use Node', 'shared/rate-limits/x.ts', 'node:fs'],
    ['a pure module to use a package', 'shared/domain/x.ts', 'undici'],
    ['another schema library', 'shared/storage/x.ts', 'zod'],
    ['a file inside undici', 'shared/upstream/x.ts', 'undici/lib/dispatcher/agent.js'],
    ['a feature to use an SDK', 'shared/chat/x.ts', '@slack/web-api'],
    ['a feature to know one platform', 'shared/chat/x.ts', '../platforms/slack/index.ts'],
    ['one platform to know another', 'shared/platforms/discord/x.ts', '../slack/index.ts'],
    ['a platform to know storage', 'shared/platforms/slack/x.ts', '../../storage/index.ts'],
    ['the upstream client to import the project', 'shared/upstream/x.ts', '../domain/index.ts'],
    ['the deployment to know one platform', 'infra/cdk/stack.ts', '../../shared/platforms/slack/index.ts'],
    ['storage to import a feature', 'shared/storage/x.ts', '../chat/answer/answer-question.ts'],
    ['chat to import voice', 'shared/chat/x.ts', '../voice/index.ts'],
    ['a feature to import a file inside another', 'shared/voice/x.ts', '../chat/answer/answer-question.ts'],
    ['a function to import a file inside a feature', 'functions/x.ts', '../shared/worker/dispatch-task.ts'],
    ['a function to know one platform', 'functions/x.ts', '../shared/platforms/slack/index.ts'],
    ['a front to import a file inside storage', 'functions/x.ts', '../shared/storage/turns/turns.ts'],
    ['the worker to load Bolt', 'functions/x.ts', '../shared/platforms/slack/bolt-app.ts'],
    ['a feature to import a file inside the texts', 'shared/chat/x.ts', '../i18n/texts.ts'],
    ['a feature to import a single utility', 'shared/chat/x.ts', '../utils/retry.ts'],
    ['a feature to import the functions', 'shared/chat/x.ts', '../../functions/composition/index.ts'],
    ['importing tests', 'functions/x.ts', '../test/fakes/dynamo.ts'],
    ['the local system to import other tests', 'infra/local/x.ts', '../../test/fakes/dynamo.ts'],
  ])('%s', (_, path, target) => {
    expect(verdict(path, target)).toHaveLength(1);
  });

  test('types as it forbids values', () => {
    expect(verdict('shared/upstream/x.ts', '../storage/index.ts', 'type { X }')).toHaveLength(1);
  });

  test('a folder that is in no module', () => {
    expect(findForbiddenImports([file('shared/attic/x.ts', '')])).toHaveLength(1);
  });

  test('features to take more than types and errors of storage', () => {
    expect(take('type { Turns }')).toEqual([]);
    expect(take('{ ConditionFailed, type Turns }')).toEqual([]);
    expect(take('{ Turns }')).toHaveLength(1);
    expect(take('* as store')).toHaveLength(1);
  });
});

test.each([
  ['functions/x.ts', '../shared/worker/index.ts'],
  ['shared/voice/x.ts', '../chat/index.ts'],
  ['shared/chat/answer/x.ts', '../model/wait-for-permit.ts'],
  ['functions/composition/x.ts', '../../shared/storage/index.ts'],
  ['functions/composition/x.ts', '../../shared/platforms/slack/front.ts'],
  ['shared/storage/x.ts', '../runtime/index.ts'],
  ['infra/local/x.ts', '../../test/simulators/slack/index.ts'],
  ['test/storage/x.ts', '../../shared/storage/turns/turn-item.ts'],
  ['shared/upstream/x.ts', 'undici'],
])('%s may import %s', (path, target) => {
  expect(verdict(path, target)).toEqual([]);
});

test('a cycle is shown as a path, even if it holds by types alone', () => {
  const files = [
    file('shared/chat/a.ts', "import type { B } from './b.ts';"),
    file('shared/chat/b.ts', "import { c } from './c.ts';"),
    file('shared/chat/c.ts', "export type { A } from './a.ts';"),
    file('shared/chat/d.ts', "import { a } from './a.ts';"),
  ];
  expect(findCycles(files)).toEqual([
    'shared/chat/a.ts -> shared/chat/b.ts -> shared/chat/c.ts -> shared/chat/a.ts',
  ]);
});

test('a cycle between folders of a module is found, even without a cycle of files', () => {
  const files = [
    file('shared/chat/answer/a.ts', "import type { B } from '../model/b.ts';"),
    file('shared/chat/model/c.ts', "import { D } from '../answer/d.ts';"),
  ];
  expect(findCycles(files)).toEqual([]);
  expect(findFolderCycles(files)).toEqual(['shared/chat/answer -> shared/chat/model -> shared/chat/answer']);
});

test('files beside the folders of a module may import them, and be imported by them', () => {
  const files = [
    file('shared/chat/index.ts', "export * from './answer/a.ts';"),
    file('shared/chat/answer/a.ts', "import type { B } from '../b.ts';", "import { c } from './c.ts';"),
    file('shared/chat/b.ts', "import { a } from './answer/a.ts';"),
  ];
  expect(findFolderCycles(files)).toEqual([]);
});

test('reading the environment anywhere else is found', () => {
  const reads = 'const home = process.env.HOME;';
  expect(findEnvironmentAccess([file('shared/storage/x.ts', reads)])).toHaveLength(1);
  expect(
    findEnvironmentAccess([file('shared/runtime/config/config.ts', reads), file('infra/x.ts', reads)]),
  ).toEqual([]);
});
