import { KNOWN_SEEDS } from './known-seeds.ts';
import type { Operation } from './operation.ts';
import type { SeededBug } from './bug-parts.ts';
import { SEEDED_BUGS } from './seeded-bugs.ts';
import { EVERYTHING, installAll, perform } from './operations.ts';
import { FACTS } from './fact-operations.ts';
import { chooseOperation, type Feature } from './features/feature.ts';
import { API } from './features/api.ts';
import { KNOWLEDGE } from './features/knowledge.ts';
import { MESSAGE_SEARCH } from './features/message-search.ts';
import { SCHEDULES } from './features/schedules.ts';
import { TOOLS } from './features/tools.ts';
import { IsolationHarness } from './harness.ts';

/** The result of some operations. */
export type Outcome = {
  readonly seed: number;
  readonly operations: number;
  readonly checks: number;
  readonly violations: readonly string[];
  /** The error of the simulation itself that ended the run, if any. */
  readonly error: string | undefined;
  /** One line per operation. */
  readonly trace: readonly string[];
  readonly failures: readonly string[];
};

/** Runs are short, so that a violation is easy to analyze: this many operations each. */
export const OPERATIONS_PER_RUN = 250;
const MAX_PAUSE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What a run is about: everything that is on in a new workspace, or a feature that administrators turn on. */
export const SUBJECTS = {
  everything: { ...EVERYTHING, bugs: SEEDED_BUGS },
  facts: FACTS,
  tools: TOOLS,
  api: API,
  knowledge: KNOWLEDGE,
  schedules: SCHEDULES,
  'message-search': MESSAGE_SEARCH,
} as const satisfies Readonly<Record<string, Feature>>;
export type Subject = keyof typeof SUBJECTS;
export const isSubject = (name: string): name is Subject => Object.hasOwn(SUBJECTS, name);

/** Runs until the first violation, or `maxOperations` operations. */
export async function runOperations(
  seed: number,
  maxOperations = OPERATIONS_PER_RUN,
  mutant?: SeededBug,
  subject: Subject = 'everything',
): Promise<Outcome> {
  const { setUp, operations: from, apiUrl }: Feature = SUBJECTS[subject];
  const harness = new IsolationHarness(seed, mutant, apiUrl);
  const { violations } = harness.checker;
  const trace: string[] = [];
  let [operations, error]: [number, string | undefined] = [0, undefined];
  await installAll(harness);
  const next = (of: IsolationHarness): Operation => chooseOperation(of, from);
  try {
    await setUp(harness, (operation) => harness.settle(() => perform(operation)).then(() => undefined));
    while (operations < maxOperations && violations.length === 0)
      operations += await performSome(harness, { maxOperations: maxOperations - operations, next }, (line) =>
        trace.push(`${operations} ${line}`),
      );
  } catch (cause) {
    error = `the simulation fails: ${cause instanceof Error ? cause.stack : String(cause)}`;
  }
  const { checks } = harness.checker;
  return { seed, operations, checks, violations, error, trace, failures: harness.line.failures };
}

/** Performs one random operation, or a few at once, after a pause. Resolves with how many. */
async function performSome(
  harness: IsolationHarness,
  {
    maxOperations,
    next,
  }: { readonly maxOperations: number; readonly next: (of: IsolationHarness) => Operation },
  note: (line: string) => void,
): Promise<number> {
  const { random, time } = harness;
  time.advance(random() < 0.01 ? DAY_MS : random() * MAX_PAUSE_MS);
  const count = random() < 0.15 ? 2 + Math.floor(random() * 3) : 1;
  harness.races = count > 1;
  const some = Array.from({ length: Math.min(count, maxOperations) }, () => next(harness));
  for (const { actor, detail = '' } of some)
    note(`${actor.tenant} ${actor.channel} ${actor.user} ${actor.operation}: ${detail}`);
  await harness.settle(() => Promise.all(some.map(perform)));
  return some.length;
}

/** A seeded bug counts as undetected after this many runs. */
const MAX_WORLDS = 60;

/** Returns the first violation that a seeded bug causes in the run with this seed, if any. Throws if the simulation fails. */
export async function violationIn(
  seed: number,
  mutant: SeededBug,
  subject?: Subject,
): Promise<string | undefined> {
  const { violations, error } = await runOperations(seed, OPERATIONS_PER_RUN, mutant, subject);
  if (error !== undefined) throw new Error(error);
  return violations[0];
}

/** Searches for a seed that shows a seeded bug: the known one, or the first one. */
export async function findSeedFor(
  mutant: SeededBug,
  subject?: Subject,
): Promise<{ readonly seed: number; readonly violation: string } | undefined> {
  const seeds = Array.from({ length: MAX_WORLDS }, (_, n) => n + 1);
  for (const seed of [KNOWN_SEEDS[mutant.name]?.seed ?? 1, ...seeds]) {
    const violation = await violationIn(seed, mutant, subject);
    if (violation !== undefined) return { seed, violation };
  }
  return undefined;
}
