import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import * as v from 'valibot';

const HERE = import.meta.dirname;
const INSTALL_TIMEOUT_MS = 300_000;

/** Installs the peers where they are missing or out of date. */
export function installPeers(): void {
  const lock = join(HERE, 'package-lock.json');
  const installed = join(HERE, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  const args = ['ci', '--prefix', HERE, '--ignore-scripts', '--no-fund', '--no-audit'];
  const { status } = spawnSync('npm', args, { stdio: 'inherit', timeout: INSTALL_TIMEOUT_MS });
  if (status !== 0) throw new Error('The peers could not be installed');
}

/** The name and version of a peer's package. */
export function versionOf(name: string): string {
  const manifest: unknown = JSON.parse(
    readFileSync(join(HERE, 'node_modules', name, 'package.json'), 'utf8'),
  );
  return `${name} ${v.parse(v.object({ version: v.string() }), manifest).version}`;
}

/** Bundles `bots/NAME.js` as people deploy it: one minified file for Node. Returns its path. */
export async function bundlePeer(name: string, folder: string, format: 'esm' | 'cjs'): Promise<string> {
  const outfile = join(folder, `${name}.${format === 'esm' ? 'mjs' : 'cjs'}`);
  await build({
    entryPoints: [join(HERE, 'bots', `${name}.js`)],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format,
    mainFields: ['module', 'main'],
    external: ['zlib-sync', 'bufferutil', 'utf-8-validate'],
    logLevel: 'error',
    ...(format === 'esm' && {
      banner: {
        js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url); const __filename = import.meta.filename; const __dirname = import.meta.dirname;",
      },
    }),
  });
  return outfile;
}
