import { parse } from '@babel/parser';
import { isFunction, type Node, traverse } from '@babel/types';
import { findImports } from '../../infra/checks/imports.ts';
import type { SourceFile } from '../../infra/checks/source-tree.ts';
import { type Insertions, markOf, type Marks } from './coverage.ts';
import type { Mutant } from './mutate.ts';

type FunctionNode = Extract<Node, { readonly body: Node; readonly params: unknown }>;
/** The functions of a file that are marked, each with its changes. */
type MarkedFunctions = Map<FunctionNode, string[]>;

/** Files of the product. */
const PRODUCT = /^(?:shared|functions)\/.*\.ts$/u;

/**
 * Marks functions, so that they say that they ran: a change's innermost function. What stands outside of functions runs once in a
 * process, whichever suite was first: for it, all functions of its file, and of the files that import that.
 */
export function marksFor(mutants: readonly Mutant[], files: readonly SourceFile[]): Marks {
  const product = files.filter(({ path }) => PRODUCT.test(path));
  const texts = new Map(product.map(({ path, text }) => [path, text]));
  const importers = importersIn(product);
  const functions = new Map<string, FunctionNode[]>();
  const marked = new Map<string, MarkedFunctions>();
  const functionsIn = (path: string): FunctionNode[] => {
    const all = functions.get(path) ?? functionsOf(texts.get(path) ?? '');
    functions.set(path, all);
    return all;
  };
  const mark = (path: string, of: FunctionNode, id: string): void => {
    const changes: MarkedFunctions = marked.get(path) ?? new Map<FunctionNode, string[]>();
    changes.set(of, [...(changes.get(of) ?? []), id]);
    marked.set(path, changes);
  };
  for (const { id, path, start, end } of mutants) {
    const around = functionsIn(path).filter((one) => (one.start ?? 0) <= start && end <= (one.end ?? 0));
    const innermost = around.toSorted((a, b) => lengthOf(a) - lengthOf(b))[0];
    if (innermost !== undefined) mark(path, innermost, id);
    else {
      for (const file of [path, ...(importers.get(path) ?? [])]) {
        for (const one of functionsIn(file)) mark(file, one, id);
      }
    }
  }
  return {
    ids: mutants.map(({ id }) => id),
    files: Object.fromEntries([...marked].map(([path, changes]) => [path, insertionsFor(changes)])),
  };
}

const lengthOf = ({ start, end }: Node): number => (end ?? 0) - (start ?? 0);

function functionsOf(text: string): FunctionNode[] {
  const functions: FunctionNode[] = [];
  const enter = (node: Node): void => {
    if (isFunction(node)) functions.push(node);
  };
  traverse(parse(text, { sourceType: 'module', plugins: ['typescript'] }), { enter });
  return functions;
}

function insertionsFor(changes: MarkedFunctions): Insertions {
  const insertions = [...changes].flatMap(([{ body }, ids]): [number, string][] => {
    const call = markOf(ids);
    if (body.type !== 'BlockStatement') {
      return [
        [body.start ?? 0, `(${call}, `],
        [body.end ?? 0, ')'],
      ];
    }
    return [[body.directives.at(-1)?.end ?? (body.start ?? 0) + 1, `;${call};`]];
  });
  return insertions.toSorted(([a], [b]) => a - b);
}

/** Which files import each file. */
function importersIn(files: readonly SourceFile[]): Map<string, readonly string[]> {
  const importers = new Map<string, readonly string[]>();
  for (const { from, target, isTypeOnly } of files.flatMap(findImports)) {
    if (!isTypeOnly) importers.set(target, [...(importers.get(target) ?? []), from]);
  }
  return importers;
}
