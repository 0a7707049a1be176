import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from '../../infra/checks/source-tree.ts';
import type { Covered } from './coverage.ts';
import { type Mutant, mutated } from './mutate.ts';
import { type Suite, suitesFor } from './suites.ts';
import { type Replaced, runSuites } from './run-suites.ts';
import type { TypeCheck } from './types.ts';

/**
 * What became of a change: noticed (by a suite, which fails or does not end with it), refused by the type checker, or neither;
 * or we cannot tell.
 */
export type MutantResult = {
  readonly mutant: Mutant;
  readonly end: 'noticed' | 'refused' | 'survived' | 'not run' | 'undecided';
  readonly suite?: string;
  readonly text: string;
};

/**
 * Runs the suites that run the changed code, until one of them fails; then, if none does, the type checker, and then all other suites
 * that run it. So no verdict depends on how long a suite takes on this machine.
 */
export async function testMutant(
  mutant: Mutant,
  { covered, types }: { readonly covered: readonly Covered[]; readonly types: Pick<TypeCheck, 'accepts'> },
  before: string | undefined,
): Promise<MutantResult> {
  const text = await readFile(join(PROJECT, mutant.path), 'utf8');
  const { suites, rest } = suitesFor(mutant, covered, before);
  const replaced = { path: mutant.path, text: mutated(text, mutant) };
  const start = performance.now();
  let result = suites.length === 0 ? { end: 'not run' as const } : await judged(suites, replaced);
  const isOpen = result.end === 'survived' || result.end === 'not run';
  if (isOpen && !(await types.accepts(replaced))) result = { end: 'refused' };
  else if (result.end === 'survived' && rest.length > 0) result = await judged(rest, replaced);
  const verdict: MutantResult = { mutant, text, ...result };
  console.log(lineOf(verdict, performance.now() - start));
  return verdict;
}

async function judged(
  suites: readonly Suite[],
  replaced: Replaced,
): Promise<Pick<MutantResult, 'end' | 'suite'>> {
  const { end, suite } = await runSuites(suites, replaced);
  if (end === 'passed') return { end: 'survived' };
  const suiteField = suite === undefined ? {} : { suite };
  if (end === 'failed') return { end: 'noticed', ...suiteField };
  // It takes too long, or ends the process; that counts only where it does not without the change.
  const late = suites.filter((one) => one.suite === suite);
  const asItIs = await runSuites(late.length > 0 ? late : suites);
  if (asItIs.end === 'crashed') throw new Error('jest ends without a report, also without a change');
  return asItIs.end === 'passed' ? { end: 'noticed', ...suiteField } : { end: 'undecided' };
}

function lineOf({ mutant, end, suite }: MutantResult, ms: number): string {
  const { id, path, line, operator, within } = mutant;
  const seconds = (ms / 1000).toFixed(1).padStart(5);
  return `${end.padEnd(9)} ${id} ${seconds} s  ${path}:${line} ${operator}, ${within}${suite === undefined ? '' : ` (${suite})`}`;
}

type Listed = Readonly<Record<string, { readonly reason: string }>>;

/**
 * Prints what no suite noticed, and the share of what was; `known` are listed and were not tried. Changes that mean the same, or
 * do not compile, do not count. Returns 1 if anything survived that is not listed.
 */
export function report(
  verdicts: readonly MutantResult[],
  mutants: readonly Mutant[],
  listed: Listed,
): number {
  const isListed = ({ id }: Mutant): boolean => listed[id] !== undefined;
  const ended = (...as: MutantResult['end'][]): MutantResult[] =>
    verdicts.filter(({ end }) => as.includes(end));
  const fresh = ended('survived', 'not run').filter(({ mutant }) => !isListed(mutant));
  for (const verdict of fresh) console.log(`\n${format(verdict)}`);
  const changes = [...verdicts.map(({ mutant }) => mutant), ...mutants];
  const rejectedCount = ended('refused').length;
  const same = changes.filter(({ id }) => listed[id]?.reason.startsWith('same:')).length;
  const open = changes.filter(({ id }) => listed[id]?.reason.startsWith('open:')).length;
  const detectedCount = ended('noticed').length;
  const counted = changes.length - same - rejectedCount;
  const percent = counted === 0 ? 100 : (detectedCount * 100) / counted;
  console.log(
    `\n${changes.length} changes, of which ${same} mean the same and ${rejectedCount} do not compile: ${detectedCount} of the other ${counted} ` +
      `noticed (${percent.toFixed(1)} %), ${open} listed as open, ${ended('undecided').length} undecided, ` +
      `${fresh.length} survived that are not listed`,
  );
  for (const { mutant } of ended('noticed', 'refused').filter((one) => isListed(one.mutant))) {
    console.log(`noticed by now, and to be taken off the list: ${mutant.id}`);
  }
  return fresh.length === 0 ? 0 : 1;
}

/** A change as a difference, with where it is and how it is called in the list. */
export function format({ mutant, end, text }: MutantResult): string {
  const { id, path, line, operator, within } = mutant;
  const from = text.lastIndexOf('\n', mutant.start) + 1;
  const to = text.indexOf('\n', mutant.end);
  const after = mutated(text, mutant).slice(from, to + mutant.to.length - (mutant.end - mutant.start));
  return [
    `${end} ${id} ${path}:${line} (${operator}, in ${within})`,
    signed('-', text.slice(from, to)),
    signed('+', after),
  ].join('\n');
}

const signed = (sign: string, lines: string): string => lines.replaceAll(/^/gmu, `${sign} `);
