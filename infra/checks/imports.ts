import { posix } from 'node:path';
import { isBuiltin } from 'node:module';
import { MODULES, type Module } from './module-boundaries.ts';
import type { SourceFile } from './tree.ts';

/** One import or re-export, types included. `names` is what stands between the braces, types marked as such. */
export type Import = {
  readonly from: string;
  readonly target: string;
  readonly types: boolean;
  readonly names: readonly string[];
};

const STATEMENT = /^\s*(import|export)\b\s*(type\b)?([^;'"`]*?)\bfrom\s*['"]([^'"]+)['"]/gmu;
const BARE = /^\s*import\s*['"]([^'"]+)['"]/gmu;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/gu;

/** The imports of a file, found by pattern: formatted code has each statement at the start of a line. */
export function importsOf({ path, text }: SourceFile): Import[] {
  const stated = [...text.matchAll(STATEMENT)].map(([, , type, clause = '', target = '']) => {
    const names = (/\{([^}]*)\}/u.exec(clause)?.[1] ?? clause).split(',').map((name) => name.trim());
    const given = names.filter((name) => name !== '');
    return { target, types: type !== undefined || given.every((n) => n.startsWith('type ')), names: given };
  });
  const plain = [BARE, DYNAMIC].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, target = '']) => ({ target, types: false, names: ['*'] })),
  );
  return [...stated, ...plain].map((found) => ({
    ...found,
    from: path,
    target: resolve(path, found.target),
  }));
}

const resolve = (from: string, target: string): string =>
  target.startsWith('.') ? posix.join(posix.dirname(from), target) : target;

/** Every import of these files that the table of modules forbids, one sentence each. */
export function forbidden(files: readonly SourceFile[], modules: readonly Module[] = MODULES): string[] {
  const sources = files.filter(({ path }) => isCode(path));
  const own = new Set(files.map(({ path }) => path));
  const homeless = sources
    .filter(({ path }) => moduleOf(path, modules) === undefined)
    .map(
      ({ path }) => `${path}: lies in no module; give its folder a row in infra/checks/module-boundaries.ts`,
    );
  const wrong = sources.flatMap(importsOf).flatMap((found) => {
    const fault = faultOf(found, own, modules);
    return fault === undefined ? [] : [`${found.from}: imports ${found.target}, ${fault}`];
  });
  return [...homeless, ...wrong];
}

const isCode = (path: string): boolean =>
  path.endsWith('.ts') && /^(?:shared|functions|infra|test)\//u.test(path);

function moduleOf(path: string, modules: readonly Module[]): Module | undefined {
  const holding = modules.filter(({ folder }) => path.startsWith(`${folder}/`));
  return holding.toSorted((a, b) => b.folder.length - a.folder.length)[0];
}

function faultOf(found: Import, own: ReadonlySet<string>, modules: readonly Module[]): string | undefined {
  const home = moduleOf(found.from, modules);
  if (home === undefined || isData(found.target, own)) return undefined;
  const there = moduleOf(found.target, modules);
  if (there === undefined) return packageFault(found.target, home);
  if (there === home || home.folder === 'test') return undefined;
  if (home.standsAlone) return `but ${home.folder} stands alone: it may import no other module`;
  if (modules.indexOf(there) > modules.indexOf(home)) return `which stands below ${home.folder}`;
  if (there.usedBy && !there.usedBy.includes(home.folder))
    return `which only ${there.usedBy.join(', ')} may know`;
  if (!there.calledBy || there.calledBy.includes(home.folder) || found.types) return undefined;
  const values = found.names.filter((name) => !isTypeOrError(name, found.target));
  return values.length === 0
    ? undefined
    : `of which ${home.folder} may have types and errors only, not ${values.join(', ')}`;
}

const isTypeOrError = (name: string, target: string): boolean =>
  name.startsWith('type ') || /(?:Error|Failed)$/u.test(name) || target.endsWith('/errors.ts');

const isData = (target: string, own: ReadonlySet<string>): boolean => own.has(target) && !isCode(target);

function packageFault(target: string, home: Module): string | undefined {
  if (isBuiltin(target))
    return home.node ? undefined : `but ${home.folder} is pure: it may not use Node's modules`;
  const known = home.packages?.some((name) =>
    name.endsWith('*') ? `${target}/`.startsWith(name.slice(0, -1)) : target === name,
  );
  return known ? undefined : `a package that ${home.folder} may not use`;
}

/** The import cycles of these files, types included, each as `a -> b -> a`. */
export function cycles(files: readonly SourceFile[]): string[] {
  const graph = new Map(files.filter(({ path }) => isCode(path)).map((file) => [file.path, targetsOf(file)]));
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path].join(' -> '));
    if (start >= 0 || done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}

const targetsOf = (file: SourceFile): string[] => [...new Set(importsOf(file).map(({ target }) => target))];

const CONFIGURATION = new Set([
  'shared/runtime/config/config.ts',
  'shared/runtime/config/front-config.ts',
  // What Lambda says of each invocation there: it is no configuration, and changes.
  'shared/runtime/trace.ts',
]);

/** Every reading of the environment outside of the files that may: a sentence each. */
export function strayEnvironment(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => /^(?:shared|functions)\//u.test(path) && !CONFIGURATION.has(path))
    .filter(({ text }) => /\bprocess\.env\b/u.test(text))
    .map(
      ({ path }) =>
        `${path}: reads process.env; only config.ts, front-config.ts and trace.ts of shared/runtime may`,
    );
}
