import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getOrBuild, hashInputs } from '../../infra/local/template/template-cache.ts';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'parley-cache-'));
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), content);
}

describe('the hash of the build inputs', () => {
  beforeEach(async () => {
    await put('infra/cdk/app.ts', 'app');
    await put('infra/local/run.ts', 'start');
    await put('functions/worker.ts', 'worker');
    await put('shared/a/b.ts', 'b');
    await put('package-lock.json', '{}');
  });

  test.each([
    ['infra/cdk/app.ts', 'other'],
    // The build writes the commands of the simulated Discord.
    ['infra/cli/discord-commands.ts', 'other'],
    ['functions/worker.ts', 'other'],
    ['shared/a/b.ts', 'other'],
    ['shared/a/new.ts', ''],
    ['package-lock.json', '{"x":1}'],
  ])('changes with %s', async (path, content) => {
    const before = await hashInputs(dir);
    await put(path, content);
    expect(await hashInputs(dir)).not.toBe(before);
  });

  test.each([
    'infra/local/run.ts',
    'infra/checks/run.ts',
    'infra/configuration/read-config.ts',
    'test/a.test.ts',
    'README.md',
  ])('does not change with %s', async (path) => {
    const before = await hashInputs(dir);
    await put(path, 'other');
    expect(await hashInputs(dir)).toBe(before);
  });

  test('detects a moved file, and bytes that moved from one file to the next', async () => {
    const before = await hashInputs(dir);
    await put('shared/a/c.ts', 'b');
    await rm(join(dir, 'shared/a/b.ts'));
    const moved = await hashInputs(dir);
    await put('shared/a/c.ts', '');
    await put('shared/a/d.ts', 'b');
    expect(new Set([before, moved, await hashInputs(dir)]).size).toBe(3);
  });
});

const hash = (digit: string) => digit.repeat(32);
const make = (content: string) => (out: string) => writeFile(join(out, 'template'), content);

describe('the cache', () => {
  test('builds once', async () => {
    const first = await getOrBuild(dir, hash('a'), make('first'));
    const second = await getOrBuild(dir, hash('a'), make('second'));
    expect([first.made, second.made]).toEqual([true, false]);
    expect(second.dir).toBe(first.dir);
    expect(await readFile(join(second.dir, 'template'), 'utf8')).toBe('first');
  });

  test('marks a build as CommonJS', async () => {
    const { dir: out } = await getOrBuild(dir, hash('a'), make(''));
    expect(JSON.parse(await readFile(join(out, 'package.json'), 'utf8'))).toEqual({ type: 'commonjs' });
  });

  test('keeps nothing of a failed build', async () => {
    const failing = getOrBuild(dir, hash('a'), async (out) => {
      await make('half')(out);
      throw new Error('does not build');
    });
    await expect(failing).rejects.toThrow('does not build');
    expect(await readdir(dir)).toEqual([]);
  });

  test('builds once for two simultaneous requests', async () => {
    const both = await Promise.all([
      getOrBuild(dir, hash('a'), make('one')),
      getOrBuild(dir, hash('a'), make('other')),
    ]);
    expect(both.filter(({ made: wasBuilt }) => wasBuilt)).toHaveLength(1);
    expect(await readFile(join(dir, hash('a'), 'template'), 'utf8')).toBe(both[0].made ? 'one' : 'other');
    expect(await readdir(dir)).toEqual([hash('a')]);
  });

  test('keeps the last three builds, by last use', async () => {
    for (const [i, name] of ['a', 'b', 'c'].entries()) {
      const { dir: out } = await getOrBuild(dir, hash(name), make(name));
      await utimes(out, i + 1, i + 1);
    }
    await getOrBuild(dir, hash('a'), make('again'));
    await getOrBuild(dir, hash('d'), make('d'));
    expect(new Set(await readdir(dir))).toEqual(new Set([hash('a'), hash('c'), hash('d')]));
  });
});

test('a start with an existing build loads nothing of the CDK', async () => {
  const local = join(import.meta.dirname, '../../infra/local');
  const files = (await readdir(local, { recursive: true })).filter((name) => name.endsWith('.ts'));
  expect(files).toContain('template/build.ts');
  for (const file of files) {
    const code = await readFile(join(local, file), 'utf8');
    expect([...code.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, name]) => name)).not.toContainEqual(
      expect.stringMatching(/^(aws-cdk-lib|cdk-nag|constructs|esbuild)|\/cdk\//),
    );
  }
});
