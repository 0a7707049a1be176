import { posix } from 'node:path';
import { isBuiltin } from 'node:module';
import { MODULES, type Module } from './module-boundaries.ts';
import type { SourceFile } from './source-tree.ts';

/** One import or re-export, type imports included. `names` are the imported names, with `type ` for types. */
export type Import = {
  readonly from: string;
  readonly target: string;
  readonly isTypeOnly: boolean;
  readonly names: readonly string[];
};

const IMPORT_STATEMENT = /^\s*(import|export)\b\s*(type\b)?([^;'"`]*?)\bfrom\s*['"]([^'"]+)['"]/gmu;
const BARE_IMPORT = /^\s*import\s*['"]([^'"]+)['"]/gmu;
const DYNAMIC_IMPORT = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/gu;

/** Finds the imports of a file by pattern, which works because the formatter puts each statement on a line start. */
export function findImports({ path, text }: SourceFile): Import[] {
  const statements = [...text.matchAll(IMPORT_STATEMENT)].map(([, , type, clause = '', target = '']) => {
    const names = (/\{([^}]*)\}/u.exec(clause)?.[1] ?? clause).split(',').map((name) => name.trim());
    const importedNames = names.filter((name) => name !== '');
    return {
      target,
      isTypeOnly: type !== undefined || importedNames.every((n) => n.startsWith('type ')),
      names: importedNames,
    };
  });
  const otherImports = [BARE_IMPORT, DYNAMIC_IMPORT].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, target = '']) => ({ target, isTypeOnly: false, names: ['*'] })),
  );
  return [...statements, ...otherImports].map((imported) => ({
    ...imported,
    from: path,
    target: resolve(path, imported.target),
  }));
}

const resolve = (from: string, target: string): string =>
  target.startsWith('.') ? posix.join(posix.dirname(from), target) : target;

/** Reports imports that the module table forbids, one sentence each. */
export function findForbiddenImports(files: readonly SourceFile[]): string[] {
  const sources = files.filter(({ path }) => isCode(path));
  const projectFiles = new Set(files.map(({ path }) => path));
  const unassigned = sources
    .filter(({ path }) => findModule(path) === undefined)
    .map(({ path }) => `${path}: belongs to no module; add its folder to infra/checks/module-boundaries.ts`);
  const violations = sources.flatMap(findImports).flatMap((imported) => {
    const problem = findProblem(imported, projectFiles);
    return problem === undefined ? [] : [`${imported.from}: imports ${imported.target}, ${problem}`];
  });
  return [...unassigned, ...violations];
}

const isCode = (path: string): boolean =>
  path.endsWith('.ts') && /^(?:shared|functions|infra|test|docs\/examples)\//u.test(path);

function findModule(path: string): Module | undefined {
  const candidates = MODULES.filter(({ folder }) => path.startsWith(`${folder}/`));
  return candidates.toSorted((a, b) => b.folder.length - a.folder.length)[0];
}

function findProblem(imported: Import, projectFiles: ReadonlySet<string>): string | undefined {
  const importer = findModule(imported.from);
  if (importer === undefined || isData(imported.target, projectFiles)) return undefined;
  const target = findModule(imported.target);
  if (target === undefined) return findPackageProblem(imported.target, importer);
  if (target === importer || importer.folder === 'test') return undefined;
  if (importer.isStandalone) return `but ${importer.folder} may import no other module`;
  if (MODULES.indexOf(target) > MODULES.indexOf(importer)) return `which is listed after ${importer.folder}`;
  const { entries = ['index.ts'] } = target;
  if (!entries.some((entry) => imported.target === `${target.folder}/${entry}`))
    return `which is internal to ${target.folder}: import its ${entries.join(' or ')}`;
  if (target.usedBy && !target.usedBy.includes(importer.folder))
    return `which only ${target.usedBy.join(', ')} may import`;
  if (!target.calledBy || target.calledBy.includes(importer.folder) || imported.isTypeOnly) return undefined;
  const values = imported.names.filter((name) => !isTypeOrError(name, imported.target));
  return values.length === 0
    ? undefined
    : `of which ${importer.folder} may import types and errors only, not ${values.join(', ')}`;
}

const isTypeOrError = (name: string, target: string): boolean =>
  name.startsWith('type ') || /(?:Error|Failed)$/u.test(name) || target.endsWith('/errors.ts');

const isData = (target: string, projectFiles: ReadonlySet<string>): boolean =>
  projectFiles.has(target) && !isCode(target);

function findPackageProblem(target: string, importer: Module): string | undefined {
  if (isBuiltin(target))
    return importer.usesNode ? undefined : `but ${importer.folder} is pure: it may not use Node's modules`;
  const isAllowed = importer.packages?.some((name) =>
    name.endsWith('*') ? `${target}/`.startsWith(name.slice(0, -1)) : target === name,
  );
  return isAllowed ? undefined : `a package that ${importer.folder} may not use`;
}

/** Finds import cycles, type imports included, each as `a -> b -> a`. */
export function findCycles(files: readonly SourceFile[]): string[] {
  return findCyclesIn(
    new Map(files.filter(({ path }) => isCode(path)).map((file) => [file.path, findTargets(file)])),
  );
}

/**
 * Finds import cycles between the folders directly within a module, type imports included. Files beside those folders may
 * import them, and be imported by them. The suites in `test` may use each other's harnesses.
 */
export function findFolderCycles(files: readonly SourceFile[]): string[] {
  const graph = new Map<string, string[]>();
  for (const { from, target } of files.filter(({ path }) => isCode(path)).flatMap(findImports)) {
    const module = findModule(from);
    if (!module || module.folder === 'test' || findModule(target) !== module) continue;
    const [source, imported] = [from, target].map((path) => childFolder(path, module));
    if (!source || !imported || source === imported) continue;
    graph.set(source, [...(graph.get(source) ?? []), imported]);
  }
  return findCyclesIn(graph);
}

const childFolder = (path: string, { folder }: Module): string | undefined => {
  const [child = '', ...rest] = path.slice(folder.length + 1).split('/');
  return rest.length > 0 ? `${folder}/${child}` : undefined;
};

function findCyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const imported: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) imported.push([...trail.slice(start), path].join(' -> '));
    if (start >= 0 || done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return imported;
}

const findTargets = (file: SourceFile): string[] => [
  ...new Set(findImports(file).map(({ target }) => target)),
];

const ENVIRONMENT_READERS = new Set([
  'shared/runtime/config/config.ts',
  'shared/runtime/config/front-config.ts',
  // Lambda sets the trace id per invocation; it is not configuration.
  'shared/runtime/trace.ts',
]);

/** Reports uses of process.env outside the configuration files, one sentence each. */
export function findEnvironmentAccess(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => /^(?:shared|functions)\//u.test(path) && !ENVIRONMENT_READERS.has(path))
    .filter(({ text }) => /\bprocess\.env\b/u.test(text))
    .map(
      ({ path }) =>
        `${path}: reads process.env; only config.ts, front-config.ts and trace.ts of shared/runtime may`,
    );
}
