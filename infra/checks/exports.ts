import { findImports } from './imports.ts';
import type { SourceFile } from './source-tree.ts';

const CODE = /\.(?:ts|js|mjs)$/u;
const CHECKED_FILES = /^(?:shared|functions|infra)\/.*\.(?:ts|js|mjs)$/u;
/** The handlers of Lambda, a replacement for a package, and code that contains code as text. */
const EXCEPTIONS =
  /^(?:functions\/[\w-]+|infra\/cdk\/bundling\/slack-web-api|infra\/cdk\/lambda-function)\.ts$/u;
/** What a library offers, also to code outside of this project. */
const LIBRARIES: ReadonlySet<string> = new Set(['shared/upstream/index.ts']);
const EXPORTED_VALUE = /^export (?:async )?(?:const|let|function\*?|class) (\w+)/gmu;
const RE_EXPORT = /^export \{([^}]*)\} from '[^']+';/gmu;

/**
 * Finds exported values whose name no other file imports, one sentence each. Looks for names only: of two exports of one name, one import
 * uses both. Types may be exported for the signatures that contain them.
 */
export function findUnusedExports(files: readonly SourceFile[]): string[] {
  const code = files.filter(({ path }) => CODE.test(path));
  const wholeFiles = listFilesImportedWhole(code);
  const used = new Set(code.flatMap((file) => (LIBRARIES.has(file.path) ? listAll(file) : listUsed(file))));
  return code
    .filter(({ path }) => CHECKED_FILES.test(path) && !EXCEPTIONS.test(path))
    .filter(({ path }) => !LIBRARIES.has(path) && !wholeFiles.has(path))
    .flatMap(({ path, text }) => [
      ...[...text.matchAll(EXPORTED_VALUE)]
        .filter(([, name = '']) => !used.has(name))
        .map(([, name]) => `${path}: exports ${name}, which no other file imports`),
      ...listReExported(text)
        .filter((name) => !used.has(name))
        .map((name) => `${path}: re-exports ${name}, which no file imports`),
    ]);
}

/** The names that a file imports; not those that it only exports again. */
const listUsed = ({ path, text }: SourceFile): string[] =>
  listAll({ path, text: text.replaceAll(RE_EXPORT, '') });

const listAll = (file: SourceFile): string[] =>
  findImports(file).flatMap(({ names }) => names.map((name) => listParts(name)[0] ?? ''));

const listReExported = (text: string): string[] =>
  [...text.matchAll(RE_EXPORT)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => listParts(name).at(-1) ?? '');

/** The name in a file, and its name in the file that imports it. */
const listParts = (name: string): string[] =>
  name
    .replace(/^type /u, '')
    .split(/\s+as\s+/u)
    .map((part) => part.trim());

/** Files of which the names that are used are not known: imported with `*` or while the program runs, and what those export again. */
function listFilesImportedWhole(code: readonly SourceFile[]): ReadonlySet<string> {
  const imports = code.flatMap(findImports);
  const paths = new Set(
    imports.filter(({ names }) => names.some((name) => name.startsWith('*'))).map(({ target }) => target),
  );
  for (const path of paths) {
    const file = code.find((one) => one.path === path);
    const reExports = [...(file?.text ?? '').matchAll(RE_EXPORT)].map(([statement]) => statement).join('\n');
    for (const { target } of findImports({ path, text: reExports })) paths.add(target);
  }
  return paths;
}
