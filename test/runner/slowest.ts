import type { Reporter, Test, TestResult } from '@jest/reporters';
import * as v from 'valibot';

/** Suites to list. */
const COUNT = 20;
/** A run of fewer suites lists none: its author sees them all. */
const MIN_SUITES = 100;

/** A suite of a run. */
export type SuiteTime = {
  readonly name: string;
  readonly seconds: number;
  /** Processor time of its process and threads, and of child processes that have ended. */
  readonly processorSeconds: number;
};

const measured = v.object({ processorMs: v.optional(v.number(), 0) });

/** Lists the slowest suites after a long run, so that one that grows is noticed. */
export default class Slowest implements Reporter {
  readonly #suites: SuiteTime[] = [];

  onTestResult({ path, context }: Test, result: TestResult): void {
    const { processorMs } = v.parse(measured, result);
    const seconds = result.perfStats.runtime / 1_000;
    const name = path.slice(context.config.rootDir.length + 1);
    this.#suites.push({ name, seconds, processorSeconds: processorMs / 1_000 });
  }

  onRunComplete(): void {
    if (this.#suites.length >= MIN_SUITES) process.stderr.write(listSlowest(this.#suites));
  }
}

/** The slowest suites, and the sums of all. */
export function listSlowest(suites: readonly SuiteTime[]): string {
  const row = ({ name, seconds, processorSeconds }: SuiteTime): string =>
    `${seconds.toFixed(1).padStart(9)}${processorSeconds.toFixed(1).padStart(11)}  ${name}\n`;
  const sum = (of: 'seconds' | 'processorSeconds'): number =>
    suites.reduce((total, suite) => total + suite[of], 0);
  const total = {
    name: `all ${suites.length} suites`,
    seconds: sum('seconds'),
    processorSeconds: sum('processorSeconds'),
  };
  const slowest = suites.toSorted((a, b) => b.seconds - a.seconds).slice(0, COUNT);
  return `\nSlowest suites:\n  seconds  processor  suite\n${[...slowest, total].map(row).join('')}`;
}
