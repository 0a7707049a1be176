import { parse } from '@babel/parser';
import {
  isArrowFunctionExpression,
  isFunction,
  isIdentifier,
  isMemberExpression,
  isTypeScript,
  type Node,
  traverse,
} from '@babel/types';
import { createHash } from 'node:crypto';
import type { SourceFile } from '../../infra/checks/source-tree.ts';

/** One small change of what a file means. */
export type Mutant = {
  /** The same for the same change of the same declaration, wherever it stands in the file. */
  readonly id: string;
  readonly path: string;
  readonly line: number;
  /** The declaration (`function` or `Class.method`) that it changes, and where that begins and ends. */
  readonly within: string;
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly from: string;
  readonly to: string;
};

type Change = Pick<Mutant, 'operator' | 'start' | 'end' | 'to'>;
type Ancestors = readonly { readonly node: Node }[];

const OPPOSITES: Readonly<Record<string, readonly [operator: string, to: string]>> = {
  '<': ['boundary', '<='],
  '<=': ['boundary', '<'],
  '>': ['boundary', '>='],
  '>=': ['boundary', '>'],
  '===': ['equality', '!=='],
  '!==': ['equality', '==='],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
};
const SWAPPED: Readonly<Record<string, string>> = { min: 'max', max: 'min', some: 'every', every: 'some' };

/** All changes of a file that we know how to make, in the order of the file. */
export function mutantsOf({ path, text }: SourceFile): Mutant[] {
  const mutants: Omit<Mutant, 'id'>[] = [];
  const enter = (node: Node, ancestors: Ancestors): void => {
    if (isLeftAlone(node, ancestors)) return;
    for (const change of changesOf(node, ancestors, text)) {
      const from = text.slice(change.start, change.end);
      const line = text.slice(0, change.start).split('\n').length;
      mutants.push({ path, line, within: declarationOf(ancestors), from, ...change });
    }
  };
  traverse(parse(text, { sourceType: 'module', plugins: ['typescript'] }), { enter });
  const counts = new Map<string, number>();
  return mutants.map((mutant) => {
    const facts = [path, mutant.within, mutant.operator, mutant.from, mutant.to].join('\n');
    const nth = counts.get(facts) ?? 0;
    counts.set(facts, nth + 1);
    return { id: createHash('sha256').update(`${facts}\n${nth}`).digest('hex').slice(0, 8), ...mutant };
  });
}

/** The file with the change made. */
export const mutated = (text: string, { start, end, to }: Mutant): string =>
  text.slice(0, start) + to + text.slice(end);

/** What has no meaning while it runs (types), or none that a test should hold (log lines, texts, messages of errors). */
function isLeftAlone(node: Node, ancestors: Ancestors): boolean {
  return [...ancestors.map((ancestor) => ancestor.node), node].some(
    (one) =>
      (isTypeScript(one) && one.type.startsWith('TS') && !one.type.endsWith('Expression')) ||
      one.type === 'ImportDeclaration' ||
      (one.type === 'CallExpression' && nameOf(one.callee) === 'log') ||
      (one.type === 'NewExpression' && nameOf(one.callee).endsWith('Error')) ||
      (one.type === 'VariableDeclarator' && isIdentifier(one.id, { name: 'texts' })),
  );
}

function nameOf(node: Node): string {
  if (isIdentifier(node)) return node.name;
  return isMemberExpression(node) && isIdentifier(node.property) ? node.property.name : '';
}

/** The names of the declarations around a node, the outermost first. */
function declarationOf(ancestors: Ancestors): string {
  const names = ancestors.flatMap(({ node }): (Node | null | undefined)[] => {
    if (node.type === 'VariableDeclarator' || node.type === 'FunctionDeclaration') return [node.id];
    if (node.type === 'ClassDeclaration') return [node.id];
    return node.type === 'ClassMethod' || node.type === 'ClassProperty' ? [node.key] : [];
  });
  return names
    .flatMap((name) => (name && isIdentifier(name) ? [name.name] : []))
    .slice(0, 2)
    .join('.');
}

function changesOf(node: Node, ancestors: Ancestors, text: string): Change[] {
  if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
    return ['true', 'false'].map((to) => instead(node.test, 'condition', to));
  }
  if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') {
    return changesOfOperator(node.operator, node.left, node.right, text);
  }
  if (node.type === 'ExpressionStatement') return changesOfStatement(node.expression, node, text);
  if (node.type === 'CallExpression') return [...swapped(node.callee), ...dropped(node.arguments)];
  if (node.type === 'ObjectExpression') return node.properties.flatMap((one) => withComma(one, text));
  if (node.type === 'ReturnStatement') {
    const isEarly = node.argument === null && isWithin(ancestors.at(-1)?.node);
    return isEarly ? [instead(node, 'early return', ';')] : [];
  }
  return changesOfValue(node, text);
}

function changesOfValue(node: Node, text: string): Change[] {
  if (node.type === 'UnaryExpression' && node.operator === '!') {
    return [instead(node, 'not', slice(node.argument, text))];
  }
  if (node.type === 'NumericLiteral') {
    return [instead(node, 'constant', String(node.value < 10 ? node.value + 1 : node.value * 2))];
  }
  return node.type === 'BooleanLiteral' ? [instead(node, 'constant', String(!node.value))] : [];
}

const isWithin = (parent: Node | undefined): boolean => parent !== undefined && !isFunction(parent);

function changesOfOperator(operator: string, left: Node, right: Node, text: string): Change[] {
  const between = { start: left.end ?? 0, end: right.start ?? 0 };
  if (operator === '??') return [{ operator: 'default', start: between.start, end: right.end ?? 0, to: '' }];
  const opposite = OPPOSITES[operator];
  if (opposite === undefined) return [];
  const [name, to] = opposite;
  const at = text.indexOf(operator, between.start);
  return at < between.end ? [{ operator: name, start: at, end: at + operator.length, to }] : [];
}

function changesOfStatement(expression: Node, statement: Node, text: string): Change[] {
  const removed = instead(statement, 'statement', ';');
  if (expression.type === 'CallExpression') return nameOf(expression.callee) === 'log' ? [] : [removed];
  if (expression.type === 'AssignmentExpression' || expression.type === 'UpdateExpression') return [removed];
  if (expression.type !== 'AwaitExpression') return [];
  return [removed, instead(expression, 'await', `void ${slice(expression.argument, text)}`)];
}

function swapped(callee: Node): Change[] {
  if (!isMemberExpression(callee) || !isIdentifier(callee.property)) return [];
  const to = SWAPPED[callee.property.name];
  return to === undefined ? [] : [instead(callee.property, 'method', to)];
}

/** Without the last of several arguments. */
function dropped(args: readonly Node[]): Change[] {
  const [before, last] = args.slice(-2);
  if (before === undefined || last === undefined) return [];
  return [{ operator: 'argument', start: before.end ?? 0, end: last.end ?? 0, to: '' }];
}

function withComma(property: Node, text: string): Change[] {
  if (property.type === 'ObjectMethod') return [];
  const value = property.type === 'ObjectProperty' ? property.value : property;
  if (isFunction(value) && !isArrowFunctionExpression(value)) return [];
  const end = property.end ?? 0;
  return [
    { operator: 'property', start: property.start ?? 0, end: text[end] === ',' ? end + 1 : end, to: '' },
  ];
}

const slice = (node: Node, text: string): string => text.slice(node.start ?? 0, node.end ?? 0);

const instead = (node: Node, operator: string, to: string): Change => ({
  operator,
  start: node.start ?? 0,
  end: node.end ?? 0,
  to,
});
