import type { SourceFile } from './source-tree.ts';

/** The longest a port may be, with its docstrings, in lines. */
const MAX_PORT_LINES = 30;

/** Options of adapters are no contexts. */
const LIBRARIES = /^shared\/(?:platforms|upstream|storage)\//u;
const PORTS = /^shared\/(?:platforms\/)?ports\//u;
const INTERFACE = /^export interface (\w+)[^\n]*\{\n(?:[^}\n][^\n]*\n|\n)*\}/gmu;
const CONTEXT = /^(?:export )?type (\w*Context)(?:<[^\n]*>)? = [\s\S]*?;\n(?=\n|$)/gmu;
const OPTIONAL = /^ {2}(?:readonly )?(\w+)\?[(:]/gmu;

/**
 * What ports and contexts promise: a port has at most 30 lines, and neither has optional members. What a platform or deployment cannot do
 * is another implementation.
 */
export function findPortProblems(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('shared/') && path.endsWith('.ts'))
    .flatMap(({ path, text }) => [
      ...(PORTS.test(path) ? declarations(text, INTERFACE).flatMap((one) => portFaults(path, one)) : []),
      ...(LIBRARIES.test(path) ? [] : declarations(text, CONTEXT)).flatMap((one) =>
        optionalMembers(path, one),
      ),
    ]);
}

type Declaration = { readonly name: string; readonly text: string };

const declarations = (text: string, pattern: RegExp): readonly Declaration[] =>
  [...text.matchAll(pattern)].map(([portName, name = '']) => ({ name, text: portName }));

function portFaults(path: string, port: Declaration): string[] {
  const lines = port.text.split('\n').length;
  const faults = optionalMembers(path, port);
  return lines > MAX_PORT_LINES
    ? [...faults, `${path}: ${port.name} has ${lines} lines, ${MAX_PORT_LINES} at most`]
    : faults;
}

const optionalMembers = (path: string, { name, text }: Declaration): string[] =>
  [...text.matchAll(OPTIONAL)].map(
    ([, member]) =>
      `${path}: ${name}.${member} is optional; give what lacks it an implementation that says so`,
  );
