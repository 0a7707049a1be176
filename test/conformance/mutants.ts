import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { PROJECT } from '../../infra/checks/source-tree.ts';
import { mutated, type Mutant } from '../mutants/mutate.ts';
import { mutantOf } from '../mutants/sample.ts';
import { runSuites } from '../mutants/run-suites.ts';

const change = v.strictObject({
  /** What the changed client does wrong. */
  name: v.string(),
  /** In shared/upstream. */
  path: v.string(),
  /** Text that the file has exactly once. */
  find: v.string(),
  replace: v.string(),
  /** The group of rows that is run first, such as `bytes-chat`. All others follow if it detects nothing. */
  first: v.optional(v.string()),
});
type Change = v.InferOutput<typeof change>;

/** A test that takes longer than this, eight times over, does not end. ms. */
const SUITE_MS = 2_000;

export const CHANGES: readonly Change[] = v.parse(
  v.array(change),
  JSON.parse(await readFile(join(import.meta.dirname, 'mutants.json'), 'utf8')),
);

/** Returns the mutant of a change, or undefined when its file no longer has the text exactly once. */
export async function toMutant({ name, path, find, replace }: Change): Promise<Mutant | undefined> {
  const file = `shared/upstream/${path}`;
  const text = await readFile(join(PROJECT, file), 'utf8').catch(() => '');
  return mutantOf({ path: file, rule: name, find, replace }, text);
}

/** Returns the test files whose tests all belong to rows. */
export async function rowSuites(): Promise<string[]> {
  const names = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.test.ts'));
  const texts = await Promise.all(names.map((name) => readFile(join(import.meta.dirname, name), 'utf8')));
  return names
    .filter((_, at) => /\btest\(\s*(?:row|onBytes)\(/u.test(texts[at] ?? ''))
    .map((name) => `test/conformance/${name}`);
}

/** Makes each change and runs the rows. Returns whether they detect all changes. */
export async function runMutants(only: readonly string[]): Promise<boolean> {
  const suites = await rowSuites();
  const chosen = CHANGES.filter(
    ({ name, path }) => only.length === 0 || only.some((text) => name.includes(text) || path.includes(text)),
  );
  const control = await runSuites(suites.map((suite) => ({ suite, ms: SUITE_MS })));
  if (control.end !== 'passed')
    throw new Error(`The rows fail without a change: ${control.suite ?? control.end}`);
  let undetected = 0;
  for (const each of chosen) {
    const suite = await detect(each, suites);
    if (suite === undefined) undetected += 1;
    console.log(`${suite === undefined ? 'NOT DETECTED' : 'detected'}  ${each.name}  ${suite ?? ''}`);
  }
  console.log(`\n${chosen.length - undetected} of ${chosen.length} changes detected`);
  return undetected === 0;
}

/** Returns the test file that detects a change, if one does. */
async function detect(each: Change, suites: readonly string[]): Promise<string | undefined> {
  const mutant = await toMutant(each);
  if (mutant === undefined)
    throw new Error(`mutants.json: shared/upstream/${each.path} has no single “${each.find}”.`);
  const text = await readFile(join(PROJECT, mutant.path), 'utf8');
  const replaced = { path: mutant.path, text: mutated(text, mutant) };
  const isFirst = (suite: string): boolean => suite.endsWith(`/${each.first}.test.ts`);
  for (const group of [suites.filter(isFirst), suites.filter((suite) => !isFirst(suite))]) {
    if (group.length === 0) continue;
    const outcome = await runSuites(
      group.map((suite) => ({ suite, ms: SUITE_MS })),
      replaced,
    );
    if (outcome.end !== 'passed') return outcome.suite ?? outcome.end;
  }
  return undefined;
}
