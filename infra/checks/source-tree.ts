import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import * as v from 'valibot';

/** The project folder. */
export const PROJECT = join(import.meta.dirname, '..', '..');

/** Generated or installed folders. */
const SKIPPED_FOLDERS = new Set(['.git', 'node_modules', '.build', '.parley', 'cdk.out', 'coverage']);
const TEXT_FILES =
  /(?:^|\/)(?:run|LICENSE|\.[a-z]+(?:rc|ignore)|\.env\.example)$|\.(?:ts|js|mjs|json|md|css|html|svg|sh|wat|yml)$/u;

/** A file of the project: its path relative to the project, with forward slashes, and its text. */
export type SourceFile = { readonly path: string; readonly text: string };

/** Reads all text files of the project, sorted by path. Does not use git, so it works in an unpacked archive. */
export async function readSourceTree(): Promise<SourceFile[]> {
  const entries = await listFiles(PROJECT);
  const paths = entries
    .map((path) => relative(PROJECT, path).split(sep).join('/'))
    .filter((path) => TEXT_FILES.test(path));
  const files = paths.map(async (path) => ({ path, text: await readFile(join(PROJECT, path), 'utf8') }));
  return (await Promise.all(files)).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const manifestSchema = v.object({ scripts: v.record(v.string(), v.string()) });

const packageListSchema = v.record(v.string(), v.string());
const dependenciesSchema = v.object({ dependencies: packageListSchema, devDependencies: packageListSchema });

/** Returns the direct dependencies and their versions. */
export async function readDependencies(): Promise<v.InferOutput<typeof dependenciesSchema>> {
  const text = await readFile(join(PROJECT, 'package.json'), 'utf8');
  return v.parse(dependenciesSchema, JSON.parse(text));
}

/** Returns the names of the npm scripts. */
export async function readScriptNames(): Promise<string[]> {
  const text = await readFile(join(PROJECT, 'package.json'), 'utf8');
  return Object.keys(v.parse(manifestSchema, JSON.parse(text)).scripts);
}

async function listFiles(dir: string): Promise<string[]> {
  const entries = (await readdir(dir, { withFileTypes: true })).filter(
    ({ name }) => !SKIPPED_FOLDERS.has(name),
  );
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(dir, name));
  const folders = entries.filter((entry) => entry.isDirectory());
  const below = await Promise.all(folders.map(({ name }) => listFiles(join(dir, name))));
  return [...files, ...below.flat()];
}
