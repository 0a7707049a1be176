import { posix } from 'node:path';
import { isBuiltin } from 'node:module';
import { ROOMS, type Room } from './rooms.ts';
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

/** Every import of these files that the table of rooms forbids, one sentence each. */
export function forbidden(
  files: readonly SourceFile[],
  rooms: Readonly<Record<string, Room>> = ROOMS,
): string[] {
  const sources = files.filter(({ path }) => isCode(path));
  const own = new Set(files.map(({ path }) => path));
  const homeless = sources
    .filter(({ path }) => roomOf(path, rooms) === undefined)
    .map(({ path }) => `${path}: lies in no room; give its folder a row in infra/checks/rooms.ts`);
  const wrong = sources.flatMap(importsOf).flatMap((found) => {
    const fault = faultOf(found, own, rooms);
    return fault === undefined ? [] : [`${found.from}: imports ${found.target}, ${fault}`];
  });
  return [...homeless, ...wrong];
}

const isCode = (path: string): boolean =>
  path.endsWith('.ts') && /^(?:shared|functions|infra|test)\//u.test(path);

function roomOf(path: string, rooms: Readonly<Record<string, Room>>): string | undefined {
  const holding = Object.keys(rooms).filter((room) => path.startsWith(`${room}/`));
  return holding.toSorted((a, b) => b.length - a.length)[0];
}

function faultOf(
  found: Import,
  own: ReadonlySet<string>,
  rooms: Readonly<Record<string, Room>>,
): string | undefined {
  const home = roomOf(found.from, rooms);
  const rule = home === undefined ? undefined : rooms[home];
  if (home === undefined || rule === undefined) return undefined;

  const there = roomOf(found.target, rooms);
  if (there === undefined) return packageFault(found.target, rule, home, own);
  if (there === home) return undefined;
  const target = found.target;
  if (rule.typesOf?.includes(there)) {
    const values = found.types ? [] : found.names.filter((name) => !isTypeOrError(name));
    if (values.length > 0) return `of which ${home} may have types and errors only, not ${values.join(', ')}`;
  } else if (!rule.rooms.some((allowed) => allowed === '*' || allowed === there || allowed === target)) {
    return `which ${home} may not know`;
  }
  const door = target.slice(there.length + 1);
  const open = new Set(['index.ts', ...(rooms[there]?.open ?? [])]);
  const entered = rule.pries || rule.rooms.includes(target) || open.has('*') || open.has(door);
  return entered ? undefined : `which is not a door of ${there}`;
}

const isTypeOrError = (name: string): boolean => name.startsWith('type ') || /(?:Error|Failed)$/u.test(name);

function packageFault(
  target: string,
  rule: Room,
  home: string,
  own: ReadonlySet<string>,
): string | undefined {
  if (own.has(target) && !isCode(target)) return undefined;
  if (isBuiltin(target)) return rule.node ? undefined : `but ${home} is pure: it may not use Node's modules`;
  const known = rule.packages.some((name) =>
    name.endsWith('*') ? `${target}/`.startsWith(name.slice(0, -1)) : target === name,
  );
  return known ? undefined : `a package that ${home} may not use`;
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
  'shared/runtime/config.ts',
  'shared/runtime/front-config.ts',
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
