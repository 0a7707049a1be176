import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import semver from 'semver';
import * as z from 'zod/mini';
import { PROJECT } from './tree.ts';

// npm leaves builds for other systems out of the lockfile when the registry it asked does not have them. `npm ci` then
// refuses the lockfile everywhere, this system included. An entry without a checksum is enough for it, so `npm run lock` adds
// one, and takes the checksum from any registry that has the build. `unchecked` allows such an entry only where it is never
// installed: not on this system, nor on the one that runs CI and builds deployments.

// The Node of the machine runs npm alone: everything here runs on the Node that comes along as a package. npm compares what
// packages need (`engines`) with the Node of the machine, and warns without a reason. So the lockfile says what packages need of
// the Node that installs, and `unsupported` compares what they say themselves with the Node that runs them.

const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dev: z.optional(z.boolean()),
      version: z.optional(z.string()),
      license: z.optional(z.string()),
      integrity: z.optional(z.string()),
      inBundle: z.optional(z.boolean()),
      link: z.optional(z.boolean()),
      optional: z.optional(z.boolean()),
      os: z.optional(z.array(z.string())),
      cpu: z.optional(z.array(z.string())),
      libc: z.optional(z.array(z.string())),
      engines: z.optional(z.unknown()),
      optionalDependencies: z.optional(z.record(z.string(), z.string())),
    }),
  ),
});
type Lockfile = z.infer<typeof lockfile>;
/** As it is written, in npm's order. */
const written = z.record(z.string(), z.unknown());

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];

type Missing = { readonly name: string; readonly version: string; readonly of: string };

/** The optional dependencies that have no entry. */
function missing({ packages }: Lockfile): Missing[] {
  const found = Object.entries(packages).flatMap(([of, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !placesFor(of, name).some((place) => place in packages))
      .map(([name, version]) => ({ name, version, of })),
  );
  return found.filter(({ name }, index) => found.findIndex((other) => other.name === name) === index);
}

/** Where Node would look for a package that is imported by the one at `of`, the nearest first. */
function placesFor(of: string, name: string): string[] {
  const place = of === '' ? `node_modules/${name}` : `${of}/node_modules/${name}`;
  return of === ''
    ? [place]
    : [place, ...placesFor(of.slice(0, Math.max(0, of.lastIndexOf('/node_modules/'))), name)];
}

const EVERY_SYSTEM: readonly System[] = SYSTEMS.flatMap((os) => PROCESSORS.map((cpu) => ({ os, cpu })));

const withNode = z.object({ node: z.string() });
/** What `engines` asks of Node; in old packages it is a list, which npm does not look at. */
const nodeOf = (engines: unknown): string | undefined => withNode.safeParse(engines).data?.node;

/** A system that packages are installed on. */
export type System = { readonly os: string; readonly cpu: string; readonly libc?: string | undefined };

/** On which CI runs and deployments are built. */
const BUILD_SYSTEM: System = { os: 'linux', cpu: 'x64', libc: 'glibc' };
/** Which C library this machine has is not asked for: builds for both count as installed here. */
const THIS_SYSTEM: System = { os: process.platform, cpu: process.arch };
const SYSTEMS_INSTALLED_ON =
  THIS_SYSTEM.os === BUILD_SYSTEM.os && THIS_SYSTEM.cpu === BUILD_SYSTEM.cpu
    ? [BUILD_SYSTEM]
    : [BUILD_SYSTEM, THIS_SYSTEM];

/**
 * The packages whose download npm could not check, because they have no `integrity`. What comes within the archive of another
 * package is checked with that archive. A build for another system than these is not downloaded.
 */
export function unchecked(
  { packages }: Lockfile,
  systems: readonly System[] = SYSTEMS_INSTALLED_ON,
): string[] {
  const isChecked = (place: string): boolean => {
    const { integrity, inBundle, link, optional, os, cpu, libc } = packages[place] ?? {};
    if (integrity !== undefined || link === true) return true;
    if (inBundle === true) return isChecked(place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/'))));
    const runs = systems.some(
      (one) =>
        (os?.includes(one.os) ?? true) &&
        (cpu?.includes(one.cpu) ?? true) &&
        (one.libc === undefined || (libc?.includes(one.libc) ?? true)),
    );
    return optional === true && !runs;
  };
  return Object.keys(packages).filter((place) => place !== '' && !isChecked(place));
}

/** The Node of the machine may be any that package.json names. */
function wantsMore(place: string, { engines: of }: Lockfile['packages'][string], installs: string): boolean {
  const node = nodeOf(of);
  return place !== '' && node !== undefined && !semver.subset(installs, node);
}

/** Which Node may install, as package.json says. */
const installing = ({ packages }: Lockfile): string => nodeOf(packages['']?.engines) ?? '*';

async function lockfileOf(project: string): Promise<Lockfile> {
  return lockfile.parse(JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8')));
}

/** A sentence for each thing that `npm run lock` mends. */
export async function incomplete(project: string = PROJECT): Promise<string[]> {
  const lock = await lockfileOf(project);
  const absent = missing(lock);
  const bare = unchecked(lock);
  const warned = Object.entries(lock.packages).filter(([at, of]) => wantsMore(at, of, installing(lock)));
  return [
    ...absent
      .slice(0, 1)
      .map(
        ({ name }) => `${absent.length} optional packages such as ${name} have no entry: run "npm run lock"`,
      ),
    ...bare
      .slice(0, 1)
      .map((at) => `${bare.length} packages such as ${at} have no integrity: run "npm run lock"`),
    ...warned
      .slice(0, 1)
      .map(
        ([at]) =>
          `npm warns of ${warned.length} packages such as ${at} (EBADENGINE), which another Node runs: run "npm run lock"`,
      ),
  ];
}

const manifest = z.object({ engines: z.optional(z.unknown()) });

/** A line for each installed package that does not run on `node`, by default the Node that comes along. */
export async function unsupported(node?: string, project: string = PROJECT): Promise<string[]> {
  const { packages } = await lockfileOf(project);
  const runs = node ?? packages['node_modules/node']?.version ?? '';
  const lines = await Promise.all(
    Object.entries(packages).map(async ([place, { version }]) => {
      if (place === '') return [];
      // Builds for other systems are not installed.
      const text = await readFile(join(project, place, 'package.json'), 'utf8').catch(() => '{}');
      const needs = nodeOf(manifest.parse(JSON.parse(text)).engines) ?? '*';
      if (semver.satisfies(runs, needs)) return [];
      return [
        `${place.replace(/.*node_modules\//u, '')}@${version} needs Node ${needs}, and runs on ${runs}`,
      ];
    }),
  );
  return lines.flat();
}

/**
 * The text of a lockfile with an entry for each optional package that has none, and without what packages need of another Node
 * than the one that installs them. Throws if an optional package names no exact version.
 */
export function completed(text: string): string {
  const file = written.parse(JSON.parse(text));
  const lock = lockfile.parse(file);
  const added = missing(lock).map(({ name, version, of }) => {
    if (!/^\d+\.\d+\.\d+\S*$/u.test(version)) throw new Error(`${name} names no exact version: ${version}`);
    const { os, cpu, libc } = platform(name);
    const { dev, license } = lock.packages[of] ?? {};
    return [`node_modules/${name}`, { version, cpu, dev, libc, license, optional: true, os }] as const;
  });
  const before = Object.entries(written.parse(file['packages'])).map(([place, of]) => {
    const { engines: needs, ...rest } = written.parse(of);
    if (!wantsMore(place, { engines: needs }, installing(lock))) return [place, of] as const;
    const { node: _, ...others } = written.parse(needs);
    return [place, Object.keys(others).length > 0 ? { ...rest, engines: others } : rest] as const;
  });
  const packages = [...before, ...added].toSorted(([a], [b]) => a.localeCompare(b, 'en'));
  return `${JSON.stringify({ ...file, packages: Object.fromEntries(packages) }, null, 2)}\n`;
}

/** What a build is for, by its name: `@oxlint/binding-linux-x64-musl`. */
function platform(name: string): { os: string[]; cpu: string[]; libc?: string[] } {
  const parts = name.split(/[/-]/u);
  const os = SYSTEMS.filter((system) => parts.includes(system));
  const cpu = PROCESSORS.filter((processor) => parts.includes(processor));
  if (os.length !== 1 || cpu.length !== 1) throw new Error(`${name} does not say what it is built for`);
  if (!os.includes('linux')) return { os, cpu };
  const libc = parts.some((part) => part.startsWith('musl')) ? 'musl' : 'glibc';
  return { os, cpu, libc: [libc] };
}

/**
 * The text of a lockfile without the builds that have no checksum, and without the packages that name them: npm then looks for
 * both again.
 */
export function withoutUnchecked(text: string): string {
  const file = written.parse(JSON.parse(text));
  const { packages } = lockfile.parse(file);
  const bare = new Set(unchecked({ packages }, EVERY_SYSTEM));
  const names = new Set([...bare].map(nameAt));
  const kept = Object.entries(written.parse(file['packages'])).filter(([place]) => {
    const { optionalDependencies = {} } = packages[place] ?? {};
    return (
      place === '' || !(bare.has(place) || Object.keys(optionalDependencies).some((one) => names.has(one)))
    );
  });
  return `${JSON.stringify({ ...file, packages: Object.fromEntries(kept) }, null, 2)}\n`;
}

/** The text of a lockfile with the checksums that another one has for the same packages at the same places. */
export function withChecksums(text: string, other: string): string {
  const file = written.parse(JSON.parse(text));
  const known = lockfile.parse(JSON.parse(other)).packages;
  const packages = Object.entries(written.parse(file['packages'])).map(([place, of]) => {
    const entry = written.parse(of);
    const { version, integrity } = known[place] ?? {};
    const isNew = entry['integrity'] === undefined && entry['inBundle'] !== true;
    if (!isNew || integrity === undefined || version !== entry['version']) return [place, of] as const;
    const { version: first, ...rest } = entry;
    return [place, { version: first, integrity, ...rest }] as const;
  });
  return `${JSON.stringify({ ...file, packages: Object.fromEntries(packages) }, null, 2)}\n`;
}

const nameAt = (place: string): string => place.replace(/.*node_modules\//u, '');

/** What npm makes of a lockfile: nothing is installed. Rejects as npm does. */
async function resolved(text: string): Promise<string> {
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
  const whole = completed(await readFile(file, 'utf8'));
  const after = withChecksums(whole, await resolved(withoutUnchecked(whole)));
  await writeFile(file, after);
  const bare = unchecked(lockfile.parse(JSON.parse(after)), EVERY_SYSTEM);
  console.log(`${bare.length} builds for other systems have no integrity: this registry does not have them.`);
}
