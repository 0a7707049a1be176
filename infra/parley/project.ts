import { isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Returns the path of a file of the project, as short as it can be typed in the working directory. `npx` finds the command also
 * in a folder below the project, whose settings are still those of the project.
 */
export const inProject = (name: string): string => relative(process.cwd(), join(PROJECT, name));

/**
 * Returns a path as `npm start` takes it, which runs in the folder of the project: short for a file of that folder. It is quoted
 * where a shell would split it.
 */
export function fromProject(path: string): string {
  const short = relative(PROJECT, resolve(path));
  const typed = short.startsWith('..') || isAbsolute(short) ? resolve(path) : short || '.';
  return quote(typed);
}

/** Returns a value as it is typed in a shell. */
export const quote = (value: string): string => (/^[\w./:\\-]+$/u.test(value) ? value : `"${value}"`);
