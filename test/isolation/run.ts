import { parseArgs } from 'node:util';
import {
  findSeedFor,
  isSubject,
  OPERATIONS_PER_RUN,
  type Outcome,
  runOperations,
  type Subject,
  SUBJECTS,
} from './run-operations.ts';

const HELP = `npm run isolation: random operations of several tenants against a model of who may read and change what

  --operations N  number of operations (default 20000)
  --seed S        seed of the first harness (default 1); each further harness adds one
  --mutants       also try seeded bugs; each must be detected
  --replay S      repeat one harness, as printed with a violation
  --subject WHAT  all (default): each run is about the next one of ${Object.keys(SUBJECTS).join(', ')}
`;

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    replay: { type: 'string' },
    subject: { type: 'string', default: 'all' },
    mutants: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

const subjects: readonly Subject[] = isSubject(values.subject)
  ? [values.subject]
  : Object.keys(SUBJECTS).filter(isSubject);
/** What the run with this seed is about. */
const subjectOf = (seed: number): Subject => subjects[seed % subjects.length] ?? 'everything';

const SHOWN = 12;
/** Reports progress after this many operations. */
const PROGRESS = 50_000;

if (values.help) console.log(HELP);
else if (values.replay !== undefined) process.exitCode = await show(Number(values.replay));
else process.exitCode = await explore(Number(values.operations), Number(values.seed));

async function show(seed: number): Promise<number> {
  const outcome = await runOperations(seed, undefined, undefined, subjectOf(seed));
  const problems = problemsOf(outcome);
  console.log([...outcome.trace, ...outcome.failures, ...problems].join('\n'));
  return problems.length === 0 ? 0 : 1;
}

/** A run that the simulation could not finish counts as a violation, and the next run starts. */
function problemsOf({ violations, error }: Outcome): readonly string[] {
  return error === undefined ? violations : [...violations, error];
}

async function explore(operations: number, first: number): Promise<number> {
  let [done, checks, wrong, failed] = [0, 0, 0, 0];
  for (let seed = first; done < operations; seed += 1) {
    const subject = subjectOf(seed);
    const outcome = await runOperations(
      seed,
      Math.min(OPERATIONS_PER_RUN, operations - done),
      undefined,
      subject,
    );
    done += outcome.operations;
    checks += outcome.checks;
    failed += outcome.failures.length;
    // A run ends at its first violation.
    if (done % PROGRESS < outcome.operations)
      console.log(`${done} operations, ${wrong} runs with violations`);
    const problems = problemsOf(outcome);
    if (problems.length === 0) continue;
    wrong += 1;
    console.log(`\n${outcome.trace.slice(-SHOWN).join('\n')}\n${problems.join('\n')}`);
    console.log(`Replay: npm run isolation -- --subject ${subject} --replay ${seed}\n`);
  }
  for (const subject of values.mutants ? subjects : []) wrong += await findBugs(subject);
  console.log(`${done} operations, ${checks} checks, ${failed} deliveries failed: ${wrong} violations`);
  return wrong === 0 ? 0 : 1;
}

/** Searches for a seed for each seeded bug. Resolves with how many are not detected. */
async function findBugs(subject: Subject): Promise<number> {
  let undetected = 0;
  for (const mutant of SUBJECTS[subject].bugs) {
    const caught = await findSeedFor(mutant, subject);
    console.log(
      `seeded bug "${mutant.name}": ${caught ? `detected with seed ${caught.seed}: ${caught.violation}` : 'NOT DETECTED'}`,
    );
    if (caught === undefined) undetected += 1;
  }
  return undetected;
}
