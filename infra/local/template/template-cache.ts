import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { lockFolder } from '../lock.ts';
import { StartupError } from '../startup-error.ts';

/**
 * The inputs of the template and the bundles. The lockfile represents the installed packages; package.json tells esbuild which
 * modules have no side effects.
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

/** Folders without influence on the build. */
const IGNORED_FOLDERS = new Set(['checks', 'configuration', 'local'].map((folder) => join('infra', folder)));

/** Builds to keep: a system that runs an earlier build reads its bundles again when a function crashes. */
const MAX_ENTRIES = 3;

/** Poll interval while another process builds. */
const POLL_INTERVAL_MS = 100;

/** Returns the hash of all build inputs; 32 hex digits. */
export async function hashInputs(project: string): Promise<string> {
  const files = (await Promise.all(INPUTS.map((path) => listFiles(project, path)))).flat().toSorted();
  const contents = await Promise.all(files.map((file) => readFile(join(project, file))));
  const hash = createHash('sha256');
  for (const [index, file] of files.entries()) {
    const content = contents[index] ?? Buffer.alloc(0);
    hash.update(`${file.replaceAll('\\', '/')}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

async function listFiles(project: string, path: string): Promise<string[]> {
  if (IGNORED_FOLDERS.has(path)) return [];
  const stats = await stat(join(project, path)).catch(() => undefined);
  if (!stats) return [];
  if (!stats.isDirectory()) return [path];
  const names = await readdir(join(project, path));
  return (await Promise.all(names.map((name) => listFiles(project, join(path, name))))).flat();
}

/**
 * Returns the folder of the build `hash` in `cache`; calls `make` if it is missing. A build is made in a temporary folder and
 * moved, so that an interrupted build leaves nothing. Waits while another process builds.
 */
export async function getOrBuild(
  cache: string,
  hash: string,
  make: (dir: string) => Promise<void>,
): Promise<{ readonly dir: string; readonly made: boolean }> {
  const dir = join(cache, hash);
  if (await exists(dir)) return { dir, made: false };
  await mkdir(cache, { recursive: true });
  const unlock = await waitForLock(cache);
  try {
    if (await exists(dir)) return { dir, made: false };
    const aside = join(cache, `.making-${hash.slice(0, 8)}`);
    await rm(aside, { recursive: true, force: true });
    await mkdir(aside);
    try {
      await make(aside);
      // The bundles are CommonJS. Without this, Node would use the `type` of the project's package.json.
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

/** Waits until no other process builds. Resolves with the unlock function. */
async function waitForLock(cache: string): Promise<() => void> {
  for (;;) {
    try {
      return lockFolder(cache);
    } catch (error) {
      if (!(error instanceof StartupError)) throw error;
      await setTimeout(POLL_INTERVAL_MS);
    }
  }
}

/** Whether the build exists; marks it as used. */
async function exists(dir: string): Promise<boolean> {
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
