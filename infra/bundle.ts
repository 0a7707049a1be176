import { buildSync } from 'esbuild';
import { copyFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The folder of the project, in which `functions/` lies. */
export const PROJECT = join(import.meta.dirname, '..');

/**
 * Bundles `functions/<entry>.ts` with all it imports into the single file `outfile`. CommonJS, because it starts
 * about 10 ms sooner than ESM; `module` before `main`, because the AWS client is then a third smaller. No source
 * map: its paths would make the asset hash depend on the folder it was built in.
 */
export function bundle(entry: string, outfile: string): void {
  bundleFile(join('functions', `${entry}.ts`), outfile);
}

/** What a bundle reads from its own folder while it runs, by the file that it is made of. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  'shared/media/media-thread.ts': ['node_modules/opusscript/build/opusscript_native_wasm.wasm'],
};

/** Packages whose modules ask where their own file lies, which a bundle of CommonJS does not know. */
const COMMON_JS = { '@discordjs/ws': './node_modules/@discordjs/ws/dist/index.js' };

/** As `bundle`, of any file of the project: for the threads that a function starts. */
export function bundleFile(path: string, outfile: string): void {
  buildSync({
    absWorkingDir: PROJECT,
    entryPoints: [path],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: false,
    charset: 'utf8',
    legalComments: 'none',
    alias: COMMON_JS,
    logLevel: 'warning',
  });
  for (const file of BESIDE[path] ?? [])
    copyFileSync(join(PROJECT, file), join(dirname(outfile), basename(file)));
}
