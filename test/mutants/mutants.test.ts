import { describe, expect, test } from '@jest/globals';
import { readSourceTree } from '../../infra/checks/source-tree.ts';
import { ASKED } from './coverage.ts';
import { mutantsOf, mutated } from './mutate.ts';
import { chosenFrom, mutantOf, readListed, readRules, readSample, sampled, shareOf } from './sample.ts';
import { type Suite, suitesFor } from './suites.ts';

const PATH = 'shared/limits/toy.ts';
const text = `import { log } from './log.ts';

type Limit = { readonly most: 5 };

export async function take(count: number, limit: number): Promise<boolean> {
  log('taken', { count });
  if (count < limit) return await ask(count, true);
  await give({ count, all: false });
  return !full(count) && count === 3;
}
`;
const changes = mutantsOf({ path: PATH, text });

describe('the changes of a file', () => {
  test('are those of its conditions, operators, statements, arguments, properties and constants', () => {
    const lines = changes.map((one) => {
      const changed = mutated(text, one).split('\n');
      return `${one.operator}: ${changed[one.line - 1]?.trim()}`;
    });
    expect(lines).toEqual([
      'condition: if (true) return await ask(count, true);',
      'condition: if (false) return await ask(count, true);',
      'boundary: if (count <= limit) return await ask(count, true);',
      'argument: if (count < limit) return await ask(count);',
      'constant: if (count < limit) return await ask(count, false);',
      'statement: ;',
      'await: void give({ count, all: false });',
      'property: await give({  all: false });',
      'property: await give({ count,  });',
      'constant: await give({ count, all: true });',
      'logic: return !full(count) || count === 3;',
      'not: return full(count) && count === 3;',
      'equality: return !full(count) && count !== 3;',
      'constant: return !full(count) && count === 4;',
    ]);
    expect(new Set(changes.map(({ within }) => within))).toEqual(new Set(['take']));
  });

  test('have ids that do not depend on their line', () => {
    const ids = (of: string) => mutantsOf({ path: PATH, text: of }).map(({ id }) => id);
    const moved = text.replace('export', '/** Takes. */\nexport');
    expect(ids(moved)).toEqual(ids(text));
    expect(new Set(ids(text)).size).toBe(changes.length);
    const sample = { seed: 1, part: 1, parts: 1, only: [] };
    expect(sampled([{ path: PATH, text: moved }], sample).map(({ id }) => id)).toEqual(
      sampled([{ path: PATH, text }], sample).map(({ id }) => id),
    );
  });

  test('are in one share each', () => {
    const shares = [1, 2, 3].flatMap((part) => shareOf(changes, { seed: 1, part, parts: 3, only: [] }));
    expect(shares.map(({ id }) => id).toSorted()).toEqual(changes.map(({ id }) => id).toSorted());
  });
});

test('a rule is applied where its text occurs exactly once', () => {
  const rule = { path: PATH, rule: 'asks below the limit', find: 'count < limit', replace: 'true' };
  expect(mutantOf(rule, text)).toMatchObject({ line: 7, within: 'asks below the limit' });
  expect(mutantOf({ ...rule, find: 'nothing' }, text)).toBeUndefined();
  expect(mutantOf({ ...rule, find: 'count' }, text)).toBeUndefined();
});

const suite = (name: string, ms: number, ran: string[]) => ({ suite: name, ms, passed: true, ran });
const namesOf = (suites: readonly Suite[]) => suites.map((one) => one.suite);

test('the text of each rule occurs exactly once in its file', async () => {
  const { stale } = await readRules();
  expect(stale.map(({ path, rule }) => `${path}: ${rule}`)).toEqual([]);
});

test('the kept changes are of the code of today: at least 400, in each area, with suites that notice them', async () => {
  const files = await readSourceTree();
  const choice = { part: 1, parts: 1, only: [] };
  const selection = chosenFrom(files, choice, await readSample());
  const { mutants: rules } = await readRules();
  expect(selection.length + rules.length).toBeGreaterThanOrEqual(400);
  const areas = ['billing', 'chat', 'commands', 'platforms', 'rate-limits', 'storage', 'upstream', 'video'];
  const counts = areas.map((area) => [
    area,
    selection.filter(({ path }) => path.startsWith(`shared/${area}/`)).length,
  ]);
  // A renamed folder would leave none.
  expect(counts.filter(([, count]) => Number(count) < 10)).toEqual([]);
  const known = new Set([...selection, ...rules].map(({ id }) => id));
  expect(Object.keys(await readListed()).filter((id) => !known.has(id))).toEqual([]);
  const tests = new Set(files.map(({ path }) => path).filter((path) => ASKED.test(path)));
  for (const area of areas) expect([...tests].join()).toContain(`test/${area}/`);
});

test('the tests of each folder of shared are asked', async () => {
  const files = (await readSourceTree()).map(({ path }) => path);
  const folders = new Set(files.map((path) => /^shared\/([^/]+)\//u.exec(path)?.[1]));
  const mirrored = files.filter((path) => path.endsWith('.test.ts') && folders.has(path.split('/')[1]));
  expect(mirrored.length).toBeGreaterThan(400);
  expect(mirrored.filter((path) => !ASKED.test(path))).toEqual([]);
});

describe('the selected suites', () => {
  const change = { id: '12345678', path: PATH };
  const covered = [
    suite('test/flows/quick.test.ts', 1, [change.id]),
    suite('test/limits/other.test.ts', 5, ['87654321', change.id]),
    suite('test/limits/toy.test.ts', 900, [change.id]),
    suite('test/store/of.test.ts', 1, ['87654321']),
    { ...suite('test/limits/failed.test.ts', 1, [change.id]), passed: false },
  ];

  test('are those that call the function: the one of the same name first, then the near and the fast ones', () => {
    expect(namesOf(suitesFor(change, covered).suites)).toEqual([
      'test/limits/toy.test.ts',
      'test/limits/other.test.ts',
      'test/flows/quick.test.ts',
    ]);
    const { suites } = suitesFor(change, covered, 'test/flows/quick.test.ts');
    expect(suites[0]?.suite).toBe('test/flows/quick.test.ts');
  });

  test('are, where they take long, the fast ones first: the rest is asked where those notice nothing', () => {
    const slow = [...covered, suite('test/journeys/slow.test.ts', 60_000, [change.id])];
    const { suites, rest } = suitesFor(change, slow);
    expect([suites.length, namesOf(rest)]).toEqual([3, ['test/journeys/slow.test.ts']]);
  });
});

test('each listed mutant has a reason: equivalent, or open', async () => {
  for (const [id, { where, reason }] of Object.entries(await readListed())) {
    expect(id).toMatch(/^[0-9a-f]{8}$/u);
    expect([where, reason]).toEqual([
      expect.stringContaining('.ts '),
      expect.stringMatching(/^(?:same|open): ./u),
    ]);
  }
});
