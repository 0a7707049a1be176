// @ts-check
/**
 * What `npm start` runs. Plain JavaScript, so that a Node which does not know types can still say what is wrong, and so that
 * the stripper of types need not be loaded where nothing has changed: most of a start is reading sources, ours and those of
 * packages, and Node keeps what it made of them for the next time.
 */
import module from 'node:module';
import { join } from 'node:path';

/** Node runs the other files as they are from this version on. */
const NODE_MAJOR = 24;

if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR) {
  console.error(
    `Parley needs Node ${NODE_MAJOR}; this is ${process.versions.node}. "npm ci" brings it, "npm start" uses it.`,
  );
  process.exit(1);
}
module.enableCompileCache(join(import.meta.dirname, '..', '..', '.build', 'compiled'));
await import('./run.ts');
