#!/usr/bin/env node
// @ts-check
/**
 * Entry of `npx parley`. Plain JavaScript, so that it also runs with a Node version without type stripping, and so that the
 * compile cache is enabled before other modules load.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { explainOldNode, NODE_MAJOR, nodeOf } from '../old-node.js';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) {
  module.enableCompileCache(join(PROJECT, '.build', 'compiled'));
  const { main } = await import('./program.ts');
  process.exitCode = await main(process.argv.slice(2));
} else {
  // `npm ci` installs Node 24 in the project. npx uses it; a command made by `npm link` does not.
  const node = nodeOf(PROJECT);
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  if (existsSync(node)) process.exitCode = spawnSync(node, args, { stdio: 'inherit' }).status ?? 1;
  else {
    console.error(explainOldNode(process.versions.node, PROJECT, 'npx parley'));
    process.exitCode = 1;
  }
}
