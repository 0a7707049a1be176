import { expect, test } from '@jest/globals';
import { stripTypeScriptTypes } from 'node:module';
import { insertMarks, markOf } from './coverage.ts';
import { marksFor } from './marks.ts';
import type { Mutant } from './mutate.ts';

const PATH = 'shared/limits/toy.ts';
const SOURCE = `export const limit = 1;
export const double = (n: number): number => n * 2;
export const pair = (n: number) => ({ first: n, second: (m: number) => m + 10 });
export function plain(n: number): number { 'use strict'; return n + 20; }
export class Counter { count = 30; #add = (n: number) => this.count + n; next(): number { return this.#add(1) as number; } }
export async function wait(): Promise<number> { return await Promise.resolve(40); }
`;
const IMPORTER = `import { limit } from './toy.ts';
export const over = (n: number): boolean => n > limit;
`;
const files = [
  { path: PATH, text: SOURCE },
  { path: 'shared/limits/over.ts', text: IMPORTER },
];

/** A change of the first occurrence of a text. */
function changeOf(from: string): Mutant {
  const start = SOURCE.indexOf(from);
  const place = { path: PATH, line: 1, start, end: start + from.length };
  return { id: from, within: '', operator: '', from, to: '', ...place };
}

const CHANGES = ['n*2', 'm+10', 'n+20', 'this.count+n', 'this.#add(1)', '40'];
const changes = CHANGES.map((id) => ({ ...changeOf(id.replace(/([*+])/u, ' $1 ')), id }));

/** Evaluates an expression after the code: what it returns, and the changes whose functions it called. */
async function evaluate(source: string, expression: string): Promise<{ result: string; ran: string[] }> {
  const ran = new Set<string>();
  // Not where the marks of this very process enter what ran.
  Reflect.set(globalThis, Symbol.for('parley.toy'), ran);
  const text = `${source.replaceAll("'parley.ran'", "'parley.toy'")}export default await (${expression});`;
  const url = `data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(text))}`;
  const loaded: unknown = await import(url);
  Reflect.deleteProperty(globalThis, Symbol.for('parley.toy'));
  return { result: JSON.stringify(loaded), ran: [...ran].toSorted() };
}

const marks = marksFor(changes, files);
const marked = insertMarks(SOURCE, marks.files[PATH] ?? []);

test.each([
  ['0', []],
  ['double(4)', ['n*2']],
  ['pair(1).first', []],
  ['pair(1).second(2)', ['m+10']],
  ['plain(1)', ['n+20']],
  ['new Counter().next()', ['this.#add(1)', 'this.count+n']],
  ['wait()', ['40']],
])(
  '%s calls the innermost functions of %j, and returns the same as without marks',
  async (call, expected) => {
    const { result, ran } = await evaluate(marked, call);
    expect(ran).toEqual(expected);
    expect(result).toEqual((await evaluate(SOURCE, call)).result);
  },
);

test('all changes are marked, and no line moves', () => {
  expect(marks.ids).toEqual(CHANGES);
  expect(marked.split('\n').length).toBe(SOURCE.split('\n').length);
});

test('a change outside of functions is marked in all functions of its file, and of the files that import it', async () => {
  const { files: all } = marksFor([{ ...changeOf('1'), id: 'limit' }], files);
  expect(Object.keys(all)).toEqual(files.map(({ path }) => path));
  expect((await evaluate(insertMarks(SOURCE, all[PATH] ?? []), 'wait()')).ran).toEqual(['limit']);
  expect(insertMarks(IMPORTER, all['shared/limits/over.ts'] ?? [])).toContain(markOf(['limit']));
});
