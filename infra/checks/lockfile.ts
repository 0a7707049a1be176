import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { PROJECT } from './tree.ts';

// npm leaves builds for other systems out of the lockfile when the registry it asked does not have them. `npm ci` then
// refuses the lockfile everywhere, this system included. An entry without a checksum is enough for it.

const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dev: z.optional(z.boolean()),
      license: z.optional(z.string()),
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

/** One sentence if entries are missing. */
export async function incomplete(project: string = PROJECT): Promise<string[]> {
  const absent = missing(
    lockfile.parse(JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8'))),
  );
  const [first] = absent;
  if (!first) return [];
  return [`${absent.length} optional packages such as ${first.name} have no entry: run "npm run lock"`];
}

/** The text of a lockfile with an entry for each optional package that has none. Throws if one names no exact version. */
export function completed(text: string): string {
  const file = written.parse(JSON.parse(text));
  const lock = lockfile.parse(file);
  const added = missing(lock).map(({ name, version, of }) => {
    if (!/^\d+\.\d+\.\d+\S*$/u.test(version)) throw new Error(`${name} names no exact version: ${version}`);
    const { os, cpu, libc } = platform(name);
    const { dev, license } = lock.packages[of] ?? {};
    return [`node_modules/${name}`, { version, cpu, dev, libc, license, optional: true, os }] as const;
  });
  const before = Object.entries(written.parse(file['packages']));
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

if (import.meta.main) {
  const file = join(PROJECT, 'package-lock.json');
  await writeFile(file, completed(await readFile(file, 'utf8')));
}
