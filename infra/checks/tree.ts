import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import * as z from 'zod/mini';

/** The folder of the project. */
export const PROJECT = join(import.meta.dirname, '..', '..');

/** Made by commands, or brought by npm: not the project's own text. */
const MADE = new Set(['.git', 'node_modules', '.build', '.parley', 'cdk.out', 'coverage']);
const TEXT =
  /(?:^|\/)(?:run|LICENSE|\.[a-z]+(?:rc|ignore)|\.env\.example)$|\.(?:ts|js|mjs|json|md|css|html|svg|sh|yml)$/u;

/** A file of the project: its path from the top, with forward slashes, and its text. */
export type SourceFile = { readonly path: string; readonly text: string };

/** All text files of the project, sorted by path. Needs no git, so that it also works in an unpacked archive. */
export async function sourceTree(project: string = PROJECT): Promise<SourceFile[]> {
  const entries = await walk(project);
  const paths = entries
    .map((path) => relative(project, path).split(sep).join('/'))
    .filter((path) => TEXT.test(path));
  const files = paths.map(async (path) => ({ path, text: await readFile(join(project, path), 'utf8') }));
  return (await Promise.all(files)).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const manifest = z.object({ scripts: z.record(z.string(), z.string()) });

/** What `npm run` knows. */
export async function scriptNames(project: string = PROJECT): Promise<string[]> {
  const text = await readFile(join(project, 'package.json'), 'utf8');
  return Object.keys(manifest.parse(JSON.parse(text)).scripts);
}

async function walk(dir: string): Promise<string[]> {
  const entries = (await readdir(dir, { withFileTypes: true })).filter(({ name }) => !MADE.has(name));
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(dir, name));
  const folders = entries.filter((entry) => entry.isDirectory());
  const below = await Promise.all(folders.map(({ name }) => walk(join(dir, name))));
  return [...files, ...below.flat()];
}
