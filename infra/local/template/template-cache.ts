import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { lockFolder } from '../lock.ts';
import { StartupError } from '../startup-error.ts';

/**
 * What decides the template and the bundles. The lockfile stands for all that is installed; package.json tells
 * esbuild what it may leave out.
 */
const INPUTS = [
  'infra',
  'functions',
  'shared',
  'package.json',
  'package-lock.json',
  'cdk.json',
  'tsconfig.json',
];

/** Of no influence on the template, and changed often. */
const LEFT_OUT = new Set(['checks', 'cli', 'configuration', 'local'].map((folder) => join('infra', folder)));

/** Builds kept: a system that still runs on the build before reads its bundles again when a function crashes. */
const MAX_ENTRIES = 3;

/** How often one who waits for another's build looks whether it is done. */
const LOOK_MS = 100;

/** The hash of all that goes into a build of `project`; 32 hex digits. */
export async function inputHash(project: string): Promise<string> {
  const files = (await Promise.all(INPUTS.map((path) => filesUnder(project, path)))).flat().toSorted();
  const contents = await Promise.all(files.map((file) => readFile(join(project, file))));
  const hash = createHash('sha256');
  for (const [index, file] of files.entries()) {
    const content = contents[index] ?? Buffer.alloc(0);
    hash.update(`${file.replaceAll('\\', '/')}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

async function filesUnder(project: string, path: string): Promise<string[]> {
  if (LEFT_OUT.has(path)) return [];
  const found = await stat(join(project, path)).catch(() => undefined);
  if (!found) return [];
  if (!found.isDirectory()) return [path];
  const names = await readdir(join(project, path));
  return (await Promise.all(names.map((name) => filesUnder(project, join(path, name))))).flat();
}

/**
 * The folder of the build `hash` in `cache`, made by `make` if it is not there. A build is made aside and moved into
 * place as a whole, so that a kill leaves no half of one; where another process is at it, that is waited for.
 */
export async function cached(
  cache: string,
  hash: string,
  make: (dir: string) => Promise<void>,
): Promise<{ readonly dir: string; readonly made: boolean }> {
  const dir = join(cache, hash);
  if (await isThere(dir)) return { dir, made: false };
  await mkdir(cache, { recursive: true });
  const unlock = await myTurn(cache);
  try {
    if (await isThere(dir)) return { dir, made: false };
    const aside = join(cache, `.making-${hash.slice(0, 8)}`);
    await rm(aside, { recursive: true, force: true });
    await mkdir(aside);
    try {
      await make(aside);
      // The bundles are CommonJS; without this, Node would read the `type` of the project's own package.json.
      await writeFile(join(aside, 'package.json'), '{"type":"commonjs"}\n');
      await rename(aside, dir);
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
    await removeOld(cache, hash);
    return { dir, made: true };
  } finally {
    unlock();
  }
}

/** Resolves with how to let the next one build, once nobody else does. */
async function myTurn(cache: string): Promise<() => void> {
  for (;;) {
    try {
      return lockFolder(cache);
    } catch (error) {
      if (!(error instanceof StartupError)) throw error;
      await setTimeout(LOOK_MS);
    }
  }
}

/** Whether the build is there; it counts as used then. */
async function isThere(dir: string): Promise<boolean> {
  const now = new Date();
  return await utimes(dir, now, now).then(
    () => true,
    () => false,
  );
}

async function removeOld(cache: string, current: string): Promise<void> {
  const names = (await readdir(cache)).filter((name) => /^[0-9a-f]{32}$/.test(name) && name !== current);
  const aged = await Promise.all(
    names.map(async (name) => ({
      name,
      at: (await stat(join(cache, name)).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  );
  const old = aged.toSorted((a, b) => b.at - a.at).slice(MAX_ENTRIES - 1);
  await Promise.all(old.map(({ name }) => rm(join(cache, name), { recursive: true, force: true })));
}
