import { build } from 'esbuild';
import type { BuildOptions } from 'esbuild';
import { copyFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { nodeEventEmitter } from './bundling/node-event-emitter.ts';
import { withoutAjv } from './bundling/without-ajv.ts';
import { withoutBoltServers } from './bundling/without-bolt-servers.ts';
import { withoutUnusedUndici } from './bundling/without-unused-undici.ts';

/** The project folder, which contains `functions/`. */
export const PROJECT = join(import.meta.dirname, '../..');

/** Entry files in `functions/`. */
const ENTRIES = [
  'api',
  'canary',
  'dead-letters',
  'discord-events',
  'discord-gateway',
  'discord-interactions',
  'large-worker',
  'slack-events',
  'slack-oauth',
  'sweeper',
  'tool-client',
  'tool-sign-in',
  'transcriber',
  'video-callback',
  'worker',
  'worker-service',
] as const;
export type Entry = (typeof ENTRIES)[number];

/** Entry files of worker threads. */
const THREADS = [
  'shared/documents/pdf-thread.ts',
  'shared/media/worker-thread/media-thread.ts',
  'shared/task-queue/watchdog-thread.ts',
] as const;
export type Thread = (typeof THREADS)[number];

/** Files that a bundle loads from its own folder at run time, by entry file. */
const BUNDLED_FILES: Readonly<Record<string, readonly string[]>> = {
  'shared/documents/pdf-thread.ts': ['shared/documents/cmaps.br'],
  'shared/media/worker-thread/media-thread.ts': ['node_modules/opusscript/build/opusscript_native_wasm.wasm'],
};

/** Builds of packages to bundle, where it is not the one that Node would choose. */
const PACKAGE_BUILDS = {
  // Its ESM build reads files beside `import.meta.url`, which is undefined in a CommonJS bundle.
  '@discordjs/ws': './node_modules/@discordjs/ws/dist/index.js',
  // Its build for runtimes with `fetch`. The build for Node contains a second undici: 420 KB more, and 50 ms more to load.
  '@discordjs/rest': './node_modules/@discordjs/rest/dist/web.js',
};

/** Consists mostly of a minified package: minifying its syntax takes a second and saves 7 of 1,619 KB. */
const MINIFIED_ALREADY: readonly string[] = ['shared/documents/pdf-thread.ts'];

/**
 * Bundles with the texts of all languages. They consist of ASCII characters: V8 keeps the source in memory, with two bytes for
 * each character if one is not in Latin-1 (1.8 MB instead of 3.3, and a faster start). The fronts have few such characters,
 * and limited sizes.
 */
const WITH_ALL_TEXTS: readonly string[] = [
  'worker',
  'large-worker',
  'worker-service',
  'transcriber',
  'dead-letters',
].map((entry) => `functions/${entry}.ts`);

/** Results of `bundleAhead`, by entry file. */
const prebuiltBundles = new Map<string, Uint8Array>();

/** All entry files: functions and threads. */
const ENTRY_FILES: readonly string[] = [...ENTRIES.map(getEntryPath), ...THREADS];

/**
 * Bundles entry files (default: all) in parallel for `bundle` and `bundleFile`. Files share their imports, and esbuild runs
 * on other cores. Rejects when one does not build.
 */
export async function bundleAhead(paths = ENTRY_FILES): Promise<void> {
  const groups = Map.groupBy(paths, (path) => (isMinified(path) ? path : String(isAscii(path))));
  const contents = await Promise.all(
    [...groups.values()].map(async (group) => {
      const entryPoints = group.map((path) => ({ in: path, out: toOutputName(path) }));
      return await build({ ...getOptions(group[0]), entryPoints, outdir: PROJECT, write: false });
    }),
  );
  const files = contents.flatMap(({ outputFiles }) => outputFiles);
  for (const path of paths) {
    const file = files.find((outputFile) => basename(outputFile.path, '.js') === toOutputName(path));
    if (file) prebuiltBundles.set(path, isAscii(path) ? escapeNonLatin(file.text) : file.contents);
  }
}

/**
 * Bundles `functions/<entry>.ts` with its imports into `outfile`. CommonJS, because it starts about 10 ms faster than ESM;
 * `module` before `main`, because the AWS client is then a third smaller. No source map: its paths would make the asset
 * hash depend on the build folder.
 */
export function bundle(entry: Entry, outfile: string): void {
  bundleFile(getEntryPath(entry), outfile);
}

/** Like `bundle`, for any entry file, such as that of a thread. */
export function bundleFile(path: string, outfile: string): void {
  if (prebuiltBundles.has(path)) writeBundle(path, outfile);
  // In a process of its own, because esbuild supports plugins only in its asynchronous API.
  else execFileSync(process.execPath, [BUNDLE_ALONE, path, outfile]);
  for (const file of BUNDLED_FILES[path] ?? [])
    copyFileSync(join(PROJECT, file), join(dirname(outfile), basename(file)));
}

/** Writes a result of `bundleAhead`. */
export function writeBundle(path: string, outfile: string): void {
  const contents = prebuiltBundles.get(path);
  if (!contents) throw new Error(`${path} was not bundled ahead`);
  writeFileSync(outfile, contents);
}

const BUNDLE_ALONE = join(import.meta.dirname, 'bundling/bundle-alone.ts');

const OPTIONS = {
  absWorkingDir: PROJECT,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  minifyWhitespace: true,
  minifyIdentifiers: true,
  keepNames: false,
  charset: 'utf8',
  legalComments: 'none',
  alias: PACKAGE_BUILDS,
  plugins: [nodeEventEmitter, withoutAjv, withoutBoltServers, withoutUnusedUndici],
  logLevel: 'warning',
} satisfies BuildOptions;

/** Returns the source file of an entry. */
export function getEntryPath(entry: Entry): string {
  return `functions/${entry}.ts`;
}

function getOptions(path: string | undefined) {
  const isTextBundle = path !== undefined && isAscii(path);
  return {
    ...OPTIONS,
    minifySyntax: path === undefined || !isMinified(path),
    ...(isTextBundle && { charset: 'ascii' as const }),
  };
}

const isAscii = (path: string): boolean => WITH_ALL_TEXTS.includes(path);

/** Escapes characters that esbuild does not: those in regular expressions. */
const escapeNonLatin = (code: string): Uint8Array =>
  Buffer.from(
    // Without the flag `u`, so that each half of a surrogate pair is escaped.
    code.replaceAll(/[\u0100-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );

const isMinified = (path: string): boolean => MINIFIED_ALREADY.includes(path);
/** A unique name without folders. */
const toOutputName = (path: string): string => path.replace(/\.ts$/, '').replaceAll('/', '.');
