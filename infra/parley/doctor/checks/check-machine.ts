import { type Check, fail, pass, skip, warn } from '../../../configuration/index.ts';

/** Versions that `engines` of package.json allows for npm. The commands themselves run with the Node of `npm ci`. */
const MINIMUM_NODE_MAJOR = 24;

/** Evaluates the version of the Node that runs the commands, such as `24.21.0`. */
export function evaluateNode(version: string): Check {
  const major = Number(version.split('.')[0]);
  if (major >= MINIMUM_NODE_MAJOR) return pass('Node', `is ${version}.`);
  return fail(
    'Node',
    `is ${version}; Parley needs ${MINIMUM_NODE_MAJOR} or later.`,
    'Run "npm ci", which installs it, and start with "npm start" or "npx parley".',
  );
}

/** What is known about the file with the variables. */
export type EnvFileFacts = {
  readonly path: string;
  readonly exists: boolean;
  /** Permission bits, such as 0o600. Undefined where the system has none. */
  readonly mode: number | undefined;
};

/** Evaluates who can read the file. */
export function evaluateEnvFile({ path, exists, mode }: EnvFileFacts): Check {
  if (!exists)
    return skip(path, 'does not exist: everything that the environment does not set is simulated.');
  if (mode === undefined || (mode & 0o077) === 0) return pass(path, 'was read.');
  return warn(
    path,
    'can be read by other users of this machine, and has credentials.',
    `Run: chmod 600 ${path}`,
  );
}
