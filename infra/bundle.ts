import { buildSync } from 'esbuild';
import { join } from 'node:path';

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
    logLevel: 'warning',
  });
}
