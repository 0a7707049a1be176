// @ts-check
/**
 * Entry of `npm start`. Plain JavaScript, so that a Node version without type stripping can print an error, and so that the
 * compile cache is enabled before other modules load.
 *
 * `npm start` sets MALLOC_ARENA_MAX=1: with an arena per thread, glibc keeps up to 20 MB more. Other C libraries ignore it.
 */
import module from 'node:module';
import { join } from 'node:path';
import { explainOldNode, NODE_MAJOR } from '../old-node.js';

const PROJECT = join(import.meta.dirname, '..', '..');

if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR) {
  console.error(explainOldNode(process.versions.node, PROJECT, 'npm start'));
  process.exit(1);
}
module.enableCompileCache(join(PROJECT, '.build', 'compiled'));
await import('./run.ts');
