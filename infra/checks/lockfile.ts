import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import semver from 'semver';
import * as v from 'valibot';
import { PROJECT } from './source-tree.ts';

// npm omits builds for other systems from the lockfile when the registry does not have them; `npm ci` then rejects the
// lockfile on every system. So `npm run lock` adds an entry, and takes the checksum from the registry that it asks. The check
// accepts no entry without one: choose a version whose builds your registry has.

// The machine's Node only runs npm; the project runs on the Node package in node_modules. npm compares `engines` with the
// machine's Node and warns without reason. So `npm run lock` removes those requirements from the lockfile, and
// `findUnsupported` compares the packages' own requirements with the Node that runs them.

const lockfileSchema = v.object({
  packages: v.record(
    v.string(),
    v.object({
      dev: v.optional(v.boolean()),
      version: v.optional(v.string()),
      license: v.optional(v.string()),
      integrity: v.optional(v.string()),
      inBundle: v.optional(v.boolean()),
      link: v.optional(v.boolean()),
      optional: v.optional(v.boolean()),
      os: v.optional(v.array(v.string())),
      cpu: v.optional(v.array(v.string())),
      libc: v.optional(v.array(v.string())),
      engines: v.optional(v.unknown()),
      optionalDependencies: v.optional(v.record(v.string(), v.string())),
    }),
  ),
});
type Lockfile = v.InferOutput<typeof lockfileSchema>;
/** The raw entries, in npm's order. */
const rawEntries = v.record(v.string(), v.unknown());

const OPERATING_SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];

type MissingPackage = { readonly name: string; readonly version: string; readonly parent: string };

/** Finds optional dependencies without an entry. */
function findMissing({ packages }: Lockfile): MissingPackage[] {
  const natives = Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !getCandidatePaths(parent, name).some((path) => path in packages))
      .map(([name, version]) => ({ name, version, parent })),
  );
  return natives.filter(({ name }, index) => natives.findIndex((other) => other.name === name) === index);
}

/** Returns the paths at which Node resolves a package imported by the package at `of`, nearest first. */
function getCandidatePaths(of: string, name: string): string[] {
  const path = of === '' ? `node_modules/${name}` : `${of}/node_modules/${name}`;
  return of === ''
    ? [path]
    : [path, ...getCandidatePaths(of.slice(0, Math.max(0, of.lastIndexOf('/node_modules/'))), name)];
}

const EVERY_SYSTEM: readonly System[] = OPERATING_SYSTEMS.flatMap((os) =>
  PROCESSORS.map((cpu) => ({ os, cpu })),
);

const nodeEngineSchema = v.object({ node: v.string() });
/** Returns the required Node version. Old packages have a list, which npm ignores. */
const getNodeRange = (engines: unknown): string | undefined =>
  v.parse(v.fallback(v.optional(nodeEngineSchema), undefined), engines)?.node;

/** An operating system and processor that packages are installed on. */
export type System = { readonly os: string; readonly cpu: string; readonly libc?: string | undefined };

/**
 * Finds packages without `integrity`, whose download npm cannot verify. Bundled packages are verified with their archive.
 * Builds for systems other than these are left out: all systems count, unless stated otherwise.
 */
export function findUnchecked({ packages }: Lockfile, systems: readonly System[] = EVERY_SYSTEM): string[] {
  const isChecked = (path: string): boolean => {
    const { integrity, inBundle, link, optional, os, cpu, libc } = packages[path] ?? {};
    if (integrity !== undefined || link === true) return true;
    if (inBundle === true) return isChecked(path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))));
    const isForSupportedSystem = systems.some(
      (one) =>
        (os?.includes(one.os) ?? true) &&
        (cpu?.includes(one.cpu) ?? true) &&
        (one.libc === undefined || (libc?.includes(one.libc) ?? true)),
    );
    return optional === true && !isForSupportedSystem;
  };
  return Object.keys(packages).filter((path) => path !== '' && !isChecked(path));
}

/** Whether a package's `engines` excludes a Node version that package.json allows for installing. */
function excludesInstallingNode(
  path: string,
  { engines: of }: Lockfile['packages'][string],
  installs: string,
): boolean {
  const node = getNodeRange(of);
  return path !== '' && node !== undefined && !semver.subset(installs, node);
}

/** Returns the Node versions that may install, from package.json. */
const getInstallingNodes = ({ packages }: Lockfile): string => getNodeRange(packages['']?.engines) ?? '*';

async function readLockfile(): Promise<Lockfile> {
  return v.parse(lockfileSchema, JSON.parse(await readFile(join(PROJECT, 'package-lock.json'), 'utf8')));
}

/** Reports what `npm run lock` can fix, one sentence each. */
export async function findLockfileProblems(): Promise<string[]> {
  const lock = await readLockfile();
  const missingPackages = findMissing(lock);
  const uncheckedPaths = findUnchecked(lock);
  const warnedEntries = Object.entries(lock.packages).filter(([path, of]) =>
    excludesInstallingNode(path, of, getInstallingNodes(lock)),
  );
  return [
    ...missingPackages
      .slice(0, 1)
      .map(
        ({ name }) =>
          `${missingPackages.length} optional packages such as ${name} have no entry: run "npm run lock"`,
      ),
    ...uncheckedPaths
      .slice(0, 1)
      .map(
        (path) => `${uncheckedPaths.length} packages such as ${path} have no integrity: run "npm run lock"`,
      ),
    ...warnedEntries
      .slice(0, 1)
      .map(
        ([path]) =>
          `npm warns of ${warnedEntries.length} packages such as ${path} (EBADENGINE), which another Node runs: run "npm run lock"`,
      ),
  ];
}

const manifestSchema = v.object({ engines: v.optional(v.unknown()) });

/** Reports installed packages that do not support `node` (default: the bundled Node), one line each. */
export async function findUnsupported(node?: string): Promise<string[]> {
  const { packages } = await readLockfile();
  const nodeVersion = node ?? packages['node_modules/node']?.version ?? '';
  const lines = await Promise.all(
    Object.entries(packages).map(async ([path, { version }]) => {
      if (path === '') return [];
      // Builds for other systems are not installed, so their package.json is missing.
      const text = await readFile(join(PROJECT, path, 'package.json'), 'utf8').catch(() => '{}');
      const nodeRange = getNodeRange(v.parse(manifestSchema, JSON.parse(text)).engines) ?? '*';
      if (semver.satisfies(nodeVersion, nodeRange)) return [];
      return [
        `${path.replace(/.*node_modules\//u, '')}@${version} needs Node ${nodeRange}, and runs on ${nodeVersion}`,
      ];
    }),
  );
  return lines.flat();
}

/**
 * Adds an entry for each missing optional package, and removes Node requirements that exclude an installing Node. Throws if
 * an optional package has no exact version.
 */
export function completeLockfile(text: string): string {
  const file = v.parse(rawEntries, JSON.parse(text));
  const lock = v.parse(lockfileSchema, file);
  const added = findMissing(lock).map(({ name, version, parent: of }) => {
    if (!/^\d+\.\d+\.\d+\S*$/u.test(version)) throw new Error(`${name} has no exact version: ${version}`);
    const { os, cpu, libc } = parsePlatform(name);
    const { dev, license } = lock.packages[of] ?? {};
    return [`node_modules/${name}`, { version, cpu, dev, libc, license, optional: true, os }] as const;
  });
  const before = Object.entries(v.parse(rawEntries, file['packages'])).map(([path, of]) => {
    const { engines: nodeRange, ...rest } = v.parse(rawEntries, of);
    if (!excludesInstallingNode(path, { engines: nodeRange }, getInstallingNodes(lock)))
      return [path, of] as const;
    const { node: _, ...others } = v.parse(rawEntries, nodeRange);
    return [path, Object.keys(others).length > 0 ? { ...rest, engines: others } : rest] as const;
  });
  const packages = [...before, ...added].toSorted(([a], [b]) => a.localeCompare(b, 'en'));
  return `${JSON.stringify({ ...file, packages: Object.fromEntries(packages) }, null, 2)}\n`;
}

/** Reads the platform of a build from its name: `@oxlint/binding-linux-x64-musl`. */
function parsePlatform(name: string): { os: string[]; cpu: string[]; libc?: string[] } {
  const parts = name.split(/[/-]/u);
  const os = OPERATING_SYSTEMS.filter((system) => parts.includes(system));
  const cpu = PROCESSORS.filter((processor) => parts.includes(processor));
  if (os.length !== 1 || cpu.length !== 1) throw new Error(`${name} does not name its platform`);
  if (!os.includes('linux')) return { os, cpu };
  const libc = parts.some((part) => part.startsWith('musl')) ? 'musl' : 'glibc';
  return { os, cpu, libc: [libc] };
}

/** Removes builds without a checksum and the packages that depend on them, so that npm resolves both again. */
export function removeUnchecked(text: string): string {
  const file = v.parse(rawEntries, JSON.parse(text));
  const { packages } = v.parse(lockfileSchema, file);
  const uncheckedPaths = new Set(findUnchecked({ packages }));
  const names = new Set([...uncheckedPaths].map(toPackageName));
  const remaining = Object.entries(v.parse(rawEntries, file['packages'])).filter(([path]) => {
    const { optionalDependencies = {} } = packages[path] ?? {};
    return (
      path === '' ||
      !(uncheckedPaths.has(path) || Object.keys(optionalDependencies).some((one) => names.has(one)))
    );
  });
  return `${JSON.stringify({ ...file, packages: Object.fromEntries(remaining) }, null, 2)}\n`;
}

/** Adds missing checksums from another lockfile, for the same packages at the same paths. */
export function addChecksums(text: string, other: string): string {
  const file = v.parse(rawEntries, JSON.parse(text));
  const known = v.parse(lockfileSchema, JSON.parse(other)).packages;
  const packages = Object.entries(v.parse(rawEntries, file['packages'])).map(([path, of]) => {
    const entry = v.parse(rawEntries, of);
    const { version, integrity } = known[path] ?? {};
    const isNew = entry['integrity'] === undefined && entry['inBundle'] !== true;
    if (!isNew || integrity === undefined || version !== entry['version']) return [path, of] as const;
    const { version: first, ...rest } = entry;
    return [path, { version: first, integrity, ...rest }] as const;
  });
  return `${JSON.stringify({ ...file, packages: Object.fromEntries(packages) }, null, 2)}\n`;
}

const toPackageName = (path: string): string => path.replace(/.*node_modules\//u, '');

/** Lets npm resolve a lockfile without installing anything. Rejects with npm's error. */
async function resolveWithNpm(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lockfile-'));
  try {
    for (const name of ['package.json', '.npmrc']) await copyFile(join(PROJECT, name), join(folder, name));
    const file = join(folder, 'package-lock.json');
    await writeFile(file, text);
    await promisify(execFile)('npm', ['install', '--package-lock-only', '--ignore-scripts'], { cwd: folder });
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const file = join(PROJECT, 'package-lock.json');
  const completeText = completeLockfile(await readFile(file, 'utf8'));
  const after = addChecksums(completeText, await resolveWithNpm(removeUnchecked(completeText)));
  await writeFile(file, after);
  const uncheckedPaths = findUnchecked(v.parse(lockfileSchema, JSON.parse(after)));
  console.log(
    uncheckedPaths.length === 0
      ? 'Every package has an integrity.'
      : `${uncheckedPaths.length} packages have no integrity: this registry does not have them: ${uncheckedPaths.join(', ')}`,
  );
}
