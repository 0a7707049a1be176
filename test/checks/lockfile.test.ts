import { describe, expect, test } from '@jest/globals';
import {
  completeLockfile,
  findLockfileProblems,
  findUnchecked,
  findUnsupported,
  addChecksums,
  removeUnchecked,
} from '../../infra/checks/lockfile.ts';

const builds = { '@x/linux-x64-musl': '1.2.3', '@x/win32-arm64-msvc': '1.2.3', '@x/darwin-x64': '1.2.3' };
const lock = (optionalDependencies: Record<string, string>) =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { name: 'own' },
      'node_modules/@x/darwin-x64': { version: '1.2.3', integrity: 'sum' },
      'node_modules/x': { version: '1.2.3', dev: true, license: 'MIT', optionalDependencies },
    },
  });

test('the lockfile of this project holds the builds for all systems, each package has a checksum, and npm warns of no Node that it takes', async () => {
  expect(await findLockfileProblems()).toEqual([]);
});

test('every package runs on the Node that comes along', async () => {
  expect(await findUnsupported()).toEqual([]);
});

test('a package that asks for more than the Node that comes along is named', async () => {
  expect(await findUnsupported('18.20.0')).toContain(
    'undici@8.12.4 needs Node >=22.19.0, and runs on 18.20.0',
  );
});

test('builds for other systems get an entry, in their place, and the rest stays as it is', () => {
  const after: unknown = JSON.parse(completeLockfile(lock(builds)));
  const common = { version: '1.2.3', dev: true, license: 'MIT', optional: true };
  expect(after).toEqual({
    lockfileVersion: 3,
    packages: {
      '': { name: 'own' },
      'node_modules/@x/darwin-x64': { version: '1.2.3', integrity: 'sum' },
      'node_modules/@x/linux-x64-musl': { ...common, os: ['linux'], cpu: ['x64'], libc: ['musl'] },
      'node_modules/@x/win32-arm64-msvc': { ...common, os: ['win32'], cpu: ['arm64'] },
      'node_modules/x': { version: '1.2.3', dev: true, license: 'MIT', optionalDependencies: builds },
    },
  });
});

test('completing a complete lockfile changes nothing', () => {
  const once = completeLockfile(lock(builds));
  expect(completeLockfile(once)).toBe(once);
});

test('what cannot be known is not made up', () => {
  expect(() => completeLockfile(lock({ '@x/linux-x64-gnu': '^1.2.3' }))).toThrow('no exact version');
  expect(() => completeLockfile(lock({ '@x/something': '1.2.3' }))).toThrow('does not name its platform');
});

test('packages ask nothing of the Node that installs, where it may be older than they want: another one runs them', () => {
  const after: unknown = JSON.parse(
    completeLockfile(
      JSON.stringify({
        lockfileVersion: 3,
        packages: {
          '': { name: 'own', engines: { node: '>=20' } },
          'node_modules/newer': { version: '1.0.0', engines: { node: '>=22.19.0', npm: '>=9' } },
          'node_modules/odd': { version: '1.0.0', engines: { node: '^20.19.0 || >=22.12.0' } },
          'node_modules/older': { version: '1.0.0', engines: { node: '>=18' } },
          'node_modules/says-nothing': { version: '1.0.0' },
        },
      }),
    ),
  );
  expect(after).toEqual({
    lockfileVersion: 3,
    packages: {
      '': { name: 'own', engines: { node: '>=20' } },
      'node_modules/newer': { version: '1.0.0', engines: { npm: '>=9' } },
      'node_modules/odd': { version: '1.0.0' },
      'node_modules/older': { version: '1.0.0', engines: { node: '>=18' } },
      'node_modules/says-nothing': { version: '1.0.0' },
    },
  });
});

const entry = (integrity: string | undefined, version = '1.0.0'): string =>
  JSON.stringify({ packages: { 'node_modules/a': { version, integrity, optional: true } } });
const mergedEntry = (own: string, other: string): unknown => JSON.parse(addChecksums(own, other));

describe('checksums', () => {
  const linux = { os: 'linux', cpu: 'x64', libc: 'glibc' };
  const musl = { os: 'linux', cpu: 'x64', libc: 'musl' };
  const mac = { os: 'darwin', cpu: 'arm64' };
  const packages = {
    '': {},
    'node_modules/summed': { version: '1.0.0', integrity: 'sum' },
    'node_modules/summed/node_modules/inside': { version: '1.0.0', inBundle: true },
    'node_modules/bare': { version: '1.0.0', optionalDependencies: { '@x/linux-x64-musl': '1.2.3' } },
    'node_modules/bare/node_modules/inside': { version: '1.0.0', inBundle: true },
    'node_modules/@x/linux-x64-musl': {
      version: '1.2.3',
      optional: true,
      os: ['linux'],
      cpu: ['x64'],
      libc: ['musl'],
    },
    'node_modules/@x/darwin-arm64': { version: '1.2.3', optional: true, os: ['darwin'], cpu: ['arm64'] },
    'node_modules/any': { version: '1.0.0', optional: true },
  };

  test('without a list of systems, the builds for all of them need one', () => {
    expect(findUnchecked({ packages })).toEqual(findUnchecked({ packages }, [linux, mac, musl]));
    expect(findUnchecked({ packages })).toContain('node_modules/@x/darwin-arm64');
  });

  test('what may be installed on a system has one', () => {
    const bare = ['node_modules/bare', 'node_modules/bare/node_modules/inside'];
    expect(findUnchecked({ packages }, [linux])).toEqual([...bare, 'node_modules/any']);
    expect(findUnchecked({ packages }, [linux, mac])).toEqual([
      ...bare,
      'node_modules/@x/darwin-arm64',
      'node_modules/any',
    ]);
    expect(findUnchecked({ packages }, [{ os: 'linux', cpu: 'x64' }])).toContain(
      'node_modules/@x/linux-x64-musl',
    );
  });

  test('npm is asked again for what has none, and for what names it', () => {
    const parsed: unknown = JSON.parse(removeUnchecked(JSON.stringify({ lockfileVersion: 3, packages })));
    expect(parsed).toEqual({
      lockfileVersion: 3,
      packages: {
        '': {},
        'node_modules/summed': packages['node_modules/summed'],
        'node_modules/summed/node_modules/inside': packages['node_modules/summed/node_modules/inside'],
      },
    });
  });

  test('a checksum is taken for the same version only, and none is replaced', () => {
    expect(mergedEntry(entry(undefined), entry('sum'))).toEqual(JSON.parse(entry('sum')));
    expect(mergedEntry(entry(undefined), entry('sum', '1.0.1'))).toEqual(JSON.parse(entry(undefined)));
    expect(mergedEntry(entry('old'), entry('new'))).toEqual(JSON.parse(entry('old')));
  });
});
