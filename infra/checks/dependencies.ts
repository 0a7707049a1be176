import { isBuiltin } from 'node:module';
import { findImports } from './imports.ts';
import type { SourceFile } from './source-tree.ts';

/** Files that people or AWS start: functions and their threads, command line tools, `npm start`, and the CDK app that it runs. */
const ENTRY_FILE =
  /^(?:functions\/[\w-]+\.ts|shared\/[\w/-]+-thread\.ts|infra\/(?:cli|local|local\/functions|parley)\/[\w-]+\.ts|infra\/cdk\/app\.ts)$/u;

/** Dependencies that no source file imports, with the reason. */
const NOT_IMPORTED: Readonly<Record<string, string>> = {
  node: '`npm start` and the command line tools run with it',
  uplot: 'the dashboard sends it to the browser',
};

/** The dependencies of `package.json`. */
export type Dependencies = {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};

/**
 * Compares `dependencies` with what ships: packages that functions, command line tools and `npm start` import, directly or
 * through other files. Types do not count, because Node strips them. Reports one sentence each for a package that ships and is
 * no dependency, and for a dependency that does not ship.
 */
export function findDependencyProblems(
  files: readonly SourceFile[],
  { dependencies, devDependencies }: Dependencies,
): string[] {
  const importers = findShippedPackages(files);
  const missing = [...importers]
    .filter(([name]) => !(name in dependencies))
    .map(([name, path]) => {
      const where = name in devDependencies ? 'is a devDependency' : 'is not in package.json';
      return `${path}: imports ${name}, which ships and ${where}; move it to dependencies`;
    });
  const unused = Object.keys(dependencies)
    .filter((name) => !importers.has(name) && !(name in NOT_IMPORTED))
    .map(
      (name) => `package.json: no file that ships imports ${name}; move it to devDependencies, or remove it`,
    );
  return [...missing, ...unused];
}

/** Returns packages that shipped files import, each with one of these files. */
function findShippedPackages(files: readonly SourceFile[]): Map<string, string> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const packages = new Map<string, string>();
  const pending = files.filter(({ path }) => ENTRY_FILE.test(path));
  const seen = new Set(pending);
  for (const file of pending) {
    for (const { target, isTypeOnly } of findImports(file)) {
      if (isTypeOnly || isBuiltin(target)) continue;
      const imported = byPath.get(target);
      if (imported === undefined) packages.set(toPackageName(target), file.path);
      else if (!seen.has(imported)) {
        seen.add(imported);
        pending.push(imported);
      }
    }
  }
  return packages;
}

const toPackageName = (target: string): string =>
  target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
