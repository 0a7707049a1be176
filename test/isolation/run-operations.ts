import type { SeededBug } from './seeded-bugs.ts';
import { installAll, perform, someOperation } from './operations.ts';
import { IsolationHarness } from './harness.ts';

/** The result of some operations. */
export type Outcome = {
  readonly seed: number;
  readonly operations: number;
  readonly checks: number;
  readonly violations: readonly string[];
  /** One line per operation. */
  readonly trace: readonly string[];
  readonly failures: readonly string[];
};

/** Runs are short, so that a violation is easy to analyze: this many operations each. */
export const OPERATIONS_PER_RUN = 250;
const MAX_PAUSE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Runs until the first violation, or `most` operations. */
export async function runOperations(
  seed: number,
  most = OPERATIONS_PER_RUN,
  mutant?: SeededBug,
): Promise<Outcome> {
  const harness = new IsolationHarness(seed, mutant);
  const { random, time, checker } = harness;
  const trace: string[] = [];
  let operations = 0;
  await installAll(harness);
  while (operations < most && checker.violations.length === 0) {
    time.advance(random() < 0.01 ? DAY_MS : random() * MAX_PAUSE_MS);
    const count = random() < 0.15 ? 2 + Math.floor(random() * 3) : 1;
    harness.races = count > 1;
    const some = Array.from({ length: Math.min(count, most - operations) }, () => someOperation(harness));
    for (const { actor, detail = '' } of some)
      trace.push(
        `${operations} ${actor.tenant} ${actor.channel} ${actor.user} ${actor.operation}: ${detail}`,
      );
    await harness.settle(() => Promise.all(some.map(perform)));
    operations += some.length;
  }
  return {
    seed,
    operations,
    checks: checker.checks,
    violations: checker.violations,
    trace,
    failures: harness.line.failures,
  };
}

/** A seeded bug counts as undetected after this many runs. */
const MAX_WORLDS = 60;

/** The first violation that a seeded bug causes. */
export async function findSeedFor(mutant: SeededBug): Promise<string | undefined> {
  for (let seed = 1; seed <= MAX_WORLDS; seed += 1) {
    const { violations } = await runOperations(seed, OPERATIONS_PER_RUN, mutant);
    if (violations[0] !== undefined) return violations[0];
  }
  return undefined;
}
