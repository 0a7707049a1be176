import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { PROJECT } from './tree.ts';

/** Licences that ask for no more than to be named. */
const FREE = new Set([
  'MIT',
  'MIT-0',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
  'Python-2.0',
  'Zlib',
]);

/**
 * Packages under licences that ask more of whoever changes them (MPL-2.0: publish the changed files; LGPL: leave the
 * library replaceable). We use them unchanged, as separate files of the package, and nobody offers sound otherwise.
 */
const NAMED: Readonly<Record<string, string>> = {
  mediabunny: 'MPL-2.0',
  '@mediabunny/mp3-encoder': 'MPL-2.0',
  'codec-parser': 'LGPL-3.0-or-later',
};

const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.optional(z.string()),
      license: z.optional(z.string()),
      dev: z.optional(z.boolean()),
      link: z.optional(z.boolean()),
    }),
  ),
});
// Old packages write `{ "license": { "type": "MIT" } }` or a list of such.
const named = z.union([z.string(), z.object({ type: z.string() })]);
const manifest = z.object({ license: z.optional(named), licenses: z.optional(z.array(named)) });

/** Whether a licence expression (SPDX) allows use under one of the free ones. */
export function isFree(expression: string): boolean {
  const plain = expression.replaceAll(/[()]/gu, '').trim();
  return plain
    .split(/\s+OR\s+/u)
    .some((choice) => choice.split(/\s+AND\s+/u).every((name) => FREE.has(name)));
}

/** The installed packages that are used in production under a licence that is not free: one sentence each. */
export async function unfree(project: string = PROJECT): Promise<string[]> {
  const lock = lockfile.parse(JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8')));
  const used = Object.entries(lock.packages).filter(([path, { dev, link }]) => path !== '' && !dev && !link);
  const judged = used.map(async ([path, { license, version = '' }]) => {
    const expression = license ?? (await installed(join(project, path)));
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (NAMED[name] === expression) return [];
    return isFree(expression) ? [] : [`${path.replace('node_modules/', '')} ${version}: ${expression}`];
  });
  return (await Promise.all(judged)).flat();
}

async function installed(path: string): Promise<string> {
  const text = await readFile(join(path, 'package.json'), 'utf8').catch(() => '{}');
  const { license, licenses = [] } = manifest.parse(JSON.parse(text));
  const names = [...(license === undefined ? [] : [license]), ...licenses];
  const expressions = names.map((name) => (typeof name === 'string' ? name : name.type));
  return expressions.join(' OR ') || 'names no licence';
}
