import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from '../../infra/checks/tree.ts';
import { type Mutant, mutated } from './mutate.ts';
import { type Known, suitesFor } from './suites.ts';
import { type Outcome, runSuites } from './trial.ts';

/** What became of a change: noticed (by a suite, or as the suites never end with it), or not; or we cannot tell. */
export type Verdict = {
  readonly mutant: Mutant;
  readonly end: 'noticed' | 'survived' | 'not run' | 'undecided';
  readonly suite?: string;
  readonly text: string;
};

const LEAST_LIMIT_MS = 40_000;
/** What jest itself takes to start, on a busy machine. */
const START_MS = 4_000;
/** That the suites do not end counts only where they end within a third of the time without the change. */
const TIMES = 3;

/** Runs the suites that run the changed code, until one of them fails. */
export async function verdictOn(mutant: Mutant, known: Known, before: string | undefined): Promise<Verdict> {
  const text = await readFile(join(PROJECT, mutant.path), 'utf8');
  const { suites, ms } = suitesFor(mutant, known, before);
  if (suites.length === 0) return { mutant, end: 'not run', text };
  const replaced = { path: mutant.path, text: mutated(text, mutant) };
  const limitMs = Math.max(LEAST_LIMIT_MS, 1.2 * TIMES * (ms + START_MS));
  const outcome = await runSuites(suites, limitMs, replaced);
  const verdict = { mutant, text, ...(await judged(outcome, suites, limitMs)) };
  console.log(lineOf(verdict, outcome.ms));
  return verdict;
}

async function judged(
  outcome: Outcome,
  suites: readonly string[],
  limitMs: number,
): Promise<Pick<Verdict, 'end' | 'suite'>> {
  if (outcome.end === 'passed') return { end: 'survived' };
  if (outcome.end === 'failed') {
    return { end: 'noticed', ...(outcome.suite === undefined ? {} : { suite: outcome.suite }) };
  }
  const asItIs = await runSuites(suites, limitMs);
  return { end: asItIs.end === 'passed' && asItIs.ms <= limitMs / TIMES ? 'noticed' : 'undecided' };
}

function lineOf({ mutant, end, suite }: Verdict, ms: number): string {
  const { id, path, line, operator, within } = mutant;
  const seconds = (ms / 1000).toFixed(1).padStart(5);
  return `${end.padEnd(9)} ${id} ${seconds} s  ${path}:${line} ${operator}, ${within}${suite === undefined ? '' : ` (${suite})`}`;
}

type Listed = Readonly<Record<string, { readonly reason: string }>>;

/**
 * Prints what no suite noticed, and the share of what was; `known` are listed and were not tried. A change that means the same
 * does not count. Returns 1 if anything survived that is not listed.
 */
export function report(verdicts: readonly Verdict[], known: readonly Mutant[], listed: Listed): number {
  const missed = verdicts.filter(({ end }) => end === 'survived' || end === 'not run');
  const fresh = missed.filter(({ mutant }) => listed[mutant.id] === undefined);
  for (const verdict of fresh) console.log(`\n${shown(verdict)}`);
  const changes = [...verdicts.map(({ mutant }) => mutant), ...known];
  const same = changes.filter(({ id }) => listed[id]?.reason.startsWith('same:')).length;
  const open = changes.filter(({ id }) => listed[id] !== undefined).length - same;
  const noticed = verdicts.filter(
    ({ end, mutant }) => end === 'noticed' && listed[mutant.id] === undefined,
  ).length;
  const counted = changes.length - same;
  const undecided = verdicts.filter(({ end }) => end === 'undecided').length;
  const percent = counted === 0 ? 100 : (noticed * 100) / counted;
  console.log(
    `\n${changes.length} changes, ${same} of which mean the same: ${noticed} of ${counted} noticed (${percent.toFixed(1)} %), ` +
      `${open} listed as open, ${undecided} undecided, ${fresh.length} survived that are not listed`,
  );
  for (const verdict of verdicts) {
    if (verdict.end === 'noticed' && listed[verdict.mutant.id] !== undefined) {
      console.log(`noticed by now, and to be taken off the list: ${verdict.mutant.id}`);
    }
  }
  return fresh.length === 0 ? 0 : 1;
}

/** A change as a difference, with where it is and how it is called in the list. */
export function shown({ mutant, end, text }: Verdict): string {
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
