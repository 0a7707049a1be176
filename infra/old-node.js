// @ts-check
/** What the entry files need with any version of Node: plain JavaScript. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Minimum Node version for type stripping. */
export const NODE_MAJOR = 24;

/** The Node that `npm ci` installs in a project. */
export const nodeOf = (/** @type {string} */ project) => join(project, 'node_modules', 'node', 'bin', 'node');

/**
 * Says what to do where a Node is too old: `command` uses that of the project. An install script brings it, and many companies switch those scripts off.
 * @param {string} version
 * @param {string} project
 * @param {string} command
 */
export function explainOldNode(version, project, command) {
  const fix = existsSync(nodeOf(project))
    ? `"${command}" uses the one of the project.`
    : existsSync(join(project, 'node_modules', 'node'))
      ? `"npm ci" should have installed it, but npm does not run install scripts here (ignore-scripts). Run "npm rebuild node --ignore-scripts=false", or install Node ${NODE_MAJOR} yourself.`
      : `Run "npm ci", which installs it.`;
  return `Parley needs Node ${NODE_MAJOR}; this is ${version}. ${fix}`;
}
