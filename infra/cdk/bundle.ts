import { build, buildSync } from 'esbuild';
import type { BuildOptions } from 'esbuild';
import { copyFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { SLACK_FRONT, withoutServers } from './slack-front/without-servers.ts';

/** The folder of the project, in which `functions/` lies. */
export const PROJECT = join(import.meta.dirname, '../..');

/** What is deployed, by its file in `functions/`. */
const ENTRIES = [
  'canary',
  'dead-letters',
  'discord-events',
  'discord-gateway',
  'discord-interactions',
  'large-worker',
  'slack-events',
  'slack-oauth',
  'sweeper',
  'transcriber',
  'video-callback',
  'worker',
  'worker-service',
] as const;
export type Entry = (typeof ENTRIES)[number];

/** What functions run in threads of their own. */
const THREADS = [
  'shared/documents/pdf-thread.ts',
  'shared/media/thread/media-thread.ts',
  'shared/task-queue/watchdog-thread.ts',
] as const;
export type Thread = (typeof THREADS)[number];

/** What a bundle reads from its own folder while it runs, by the file that it is made of. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  'shared/media/thread/media-thread.ts': ['node_modules/opusscript/build/opusscript_native_wasm.wasm'],
};

/** The builds that a bundle takes of these packages, where it is not the one that Node would choose. */
const BUILDS = {
  // Its ES modules look for files beside `import.meta.url`, which a CommonJS bundle does not have.
  '@discordjs/ws': './node_modules/@discordjs/ws/dist/index.js',
  // Its build for runtimes with `fetch`. The one for Node contains a second undici: 420 KB more, and 50 ms more to load.
  '@discordjs/rest': './node_modules/@discordjs/rest/dist/web.js',
};

/** Nearly all of it is a package that is published minified: rewriting its syntax takes a second and saves 7 of 1,619 KB. */
const MINIFIED_ALREADY: readonly string[] = ['shared/documents/pdf-thread.ts'];

/** What `bundleAhead` has made, by the file of the project that it is made of. */
const ahead = new Map<string, Uint8Array>();

/** All that is deployed: functions, and the threads that they start. */
const DEPLOYED: readonly string[] = [...ENTRIES.map(pathOf), ...THREADS];

/**
 * Makes bundles at once, of all that is deployed unless told, for `bundle` and `bundleFile` to write: files share what they
 * import, and esbuild uses the other processors while the caller goes on. Rejects where one does not build.
 */
export async function bundleAhead(paths = DEPLOYED): Promise<void> {
  const groups = Map.groupBy(paths, (path) => (isMinified(path) || path === SLACK_FRONT ? path : ''));
  const made = await Promise.all(
    [...groups.values()].map(async (group) => {
      const entryPoints = group.map((path) => ({ in: path, out: outputOf(path) }));
      return await build({ ...optionsOf(group[0]), entryPoints, outdir: PROJECT, write: false });
    }),
  );
  const files = made.flatMap(({ outputFiles }) => outputFiles);
  for (const path of paths) {
    const file = files.find((one) => basename(one.path, '.js') === outputOf(path));
    if (file) ahead.set(path, file.contents);
  }
}

/**
 * Bundles `functions/<entry>.ts` with all it imports into the single file `outfile`. CommonJS, because it starts
 * about 10 ms sooner than ESM; `module` before `main`, because the AWS client is then a third smaller. No source
 * map: its paths would make the asset hash depend on the folder it was built in.
 */
export function bundle(entry: Entry, outfile: string): void {
  bundleFile(pathOf(entry), outfile);
}

/** As `bundle`, of any file of the project: for the threads that a function starts. */
export function bundleFile(path: string, outfile: string): void {
  if (ahead.has(path)) writeBundle(path, outfile);
  // esbuild runs plugins only for callers that can wait.
  else if (path === SLACK_FRONT) execFileSync(process.execPath, [BUNDLE_ALONE, path, outfile]);
  else buildSync({ ...optionsOf(path), entryPoints: [path], outfile });
  for (const file of BESIDE[path] ?? [])
    copyFileSync(join(PROJECT, file), join(dirname(outfile), basename(file)));
}

/** Writes a bundle that `bundleAhead` has made. */
export function writeBundle(path: string, outfile: string): void {
  const made = ahead.get(path);
  if (!made) throw new Error(`${path} was not bundled ahead`);
  writeFileSync(outfile, made);
}

const BUNDLE_ALONE = join(import.meta.dirname, 'slack-front/bundle-alone.ts');

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
  alias: BUILDS,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** The file of the project that an entry is made of. */
export function pathOf(entry: Entry): string {
  return `functions/${entry}.ts`;
}

function optionsOf(path: string | undefined) {
  const plugins = path === SLACK_FRONT ? [withoutServers] : [];
  return { ...OPTIONS, minifySyntax: path === undefined || !isMinified(path), plugins };
}

const isMinified = (path: string): boolean => MINIFIED_ALREADY.includes(path);
/** A name without folders that no other file has. */
const outputOf = (path: string): string => path.replace(/\.ts$/, '').replaceAll('/', '.');
