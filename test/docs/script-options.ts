import { parse } from '@babel/parser';
import type { Node, ObjectExpression } from '@babel/types';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/**
 * Parses arguments with the options that a script passes to `parseArgs`, without running it. Throws, as the script would, for
 * unknown options and missing values. Returns false if the script does not call `parseArgs`.
 */
export function parseWithOptionsOf(source: string, args: readonly string[]): boolean {
  const call = findParseArgs(source);
  if (!call) return false;
  const allowPositionals = getProperty(call, 'allowPositionals')?.type === 'BooleanLiteral';
  const options = getProperty(call, 'options');
  if (options?.type !== 'ObjectExpression') throw new Error('the options of parseArgs are not written out');
  parseArgs({ args: [...args], options: readOptions(options), allowPositionals, strict: true });
  return true;
}

function readOptions(options: ObjectExpression): ParseArgsOptionsConfig {
  return Object.fromEntries(
    options.properties.flatMap((property) => {
      if (property.type !== 'ObjectProperty' || property.value.type !== 'ObjectExpression') return [];
      const { key, value } = property;
      const name = key.type === 'Identifier' ? key.name : key.type === 'StringLiteral' ? key.value : '';
      const type = getProperty(value, 'type');
      const short = getProperty(value, 'short');
      const isBoolean = type?.type === 'StringLiteral' && type.value === 'boolean';
      return [
        [
          name,
          {
            type: isBoolean ? ('boolean' as const) : ('string' as const),
            ...(short?.type === 'StringLiteral' && { short: short.value }),
          },
        ],
      ];
    }),
  );
}

const getProperty = (object: ObjectExpression, name: string): Node | undefined => {
  const property = object.properties.find(
    (one) => one.type === 'ObjectProperty' && one.key.type === 'Identifier' && one.key.name === name,
  );
  return property?.type === 'ObjectProperty' ? property.value : undefined;
};

/** The argument of the first call of `parseArgs`. */
function findParseArgs(source: string): ObjectExpression | undefined {
  const calls: ObjectExpression[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isNode(value)) return;
    if (value.type === 'CallExpression') {
      const [argument] = value.arguments;
      if (value.callee.type === 'Identifier' && value.callee.name === 'parseArgs')
        if (argument?.type === 'ObjectExpression') calls.push(argument);
    }
    Object.values(value).forEach(visit);
  };
  visit(parse(source, { sourceType: 'module', plugins: ['typescript'] }).program);
  return calls[0];
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
