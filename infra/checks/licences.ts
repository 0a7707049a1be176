import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { PROJECT } from './source-tree.ts';

/** Licences that require only attribution. */
const PERMISSIVE_LICENCES = new Set([
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
 * Packages under other licences, used unchanged and as separate files. Weak copyleft (MPL-2.0: publish changed files; LGPL: keep
 * the library replaceable): there is no alternative for audio, and axe-core only tests pages. CC-BY-4.0: data that jest's
 * packages read.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  mediabunny: 'MPL-2.0',
  '@mediabunny/aac-encoder': 'MPL-2.0',
  '@mediabunny/mp3-encoder': 'MPL-2.0',
  'axe-core': 'MPL-2.0',
  'caniuse-lite': 'CC-BY-4.0',
  'codec-parser': 'LGPL-3.0-or-later',
};

const lockfileSchema = v.object({
  packages: v.record(
    v.string(),
    v.object({
      version: v.optional(v.string()),
      license: v.optional(v.string()),
      link: v.optional(v.boolean()),
    }),
  ),
});
// Old packages write `{ "license": { "type": "MIT" } }` or a list of these.
const licenceSchema = v.union([v.string(), v.object({ type: v.string() })]);
const manifestSchema = v.object({
  license: v.optional(licenceSchema),
  licenses: v.optional(v.array(licenceSchema)),
});

/** Whether an SPDX licence expression allows use under a permissive licence. */
export function isPermissive(expression: string): boolean {
  const plain = expression.replaceAll(/[()]/gu, '').trim();
  return plain
    .split(/\s+OR\s+/u)
    .some((choice) => choice.split(/\s+AND\s+/u).every((name) => PERMISSIVE_LICENCES.has(name)));
}

/** Reports packages under a licence that is not permissive, one sentence each. Development tools count too. */
export async function findUnpermittedLicences(): Promise<string[]> {
  const lock = v.parse(
    lockfileSchema,
    JSON.parse(await readFile(join(PROJECT, 'package-lock.json'), 'utf8')),
  );
  const packages = Object.entries(lock.packages).filter(([path, { link }]) => path !== '' && !link);
  const problems = packages.map(async ([path, { license, version = '' }]) => {
    const expression = license ?? (await readInstalledLicence(join(PROJECT, path)));
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (EXCEPTIONS[name] === expression) return [];
    return isPermissive(expression) ? [] : [`${path.replace('node_modules/', '')} ${version}: ${expression}`];
  });
  return (await Promise.all(problems)).flat();
}

async function readInstalledLicence(path: string): Promise<string> {
  const text = await readFile(join(path, 'package.json'), 'utf8').catch(() => '{}');
  const { license, licenses = [] } = v.parse(manifestSchema, JSON.parse(text));
  const names = [...(license === undefined ? [] : [license]), ...licenses];
  const expressions = names.map((name) => (typeof name === 'string' ? name : name.type));
  return expressions.join(' OR ') || 'no licence';
}
