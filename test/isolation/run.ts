import { parseArgs } from 'node:util';
import { findSeedFor, OPERATIONS_PER_RUN, type Outcome, runOperations } from './run-operations.ts';
import { FACT_BUGS } from './fact-operations.ts';
import { SEEDED_BUGS } from './seeded-bugs.ts';

const HELP = `npm run isolation: random operations of several tenants against a model of who may read and change what

  --operations N  number of operations (default 20000)
  --seed S        seed of the first harness (default 1); each further harness adds one
  --mutants       also try seeded bugs; each must be detected
  --replay S      repeat one harness, as printed with a violation
  --subject WHAT  everything (default), or facts: what is remembered about people
`;

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    replay: { type: 'string' },
    subject: { type: 'string', default: 'everything' },
    mutants: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

const subject = values.subject === 'facts' ? 'facts' : 'everything';
const SHOWN = 12;
/** Reports progress after this many operations. */
const PROGRESS = 50_000;

if (values.help) console.log(HELP);
else if (values.replay !== undefined) process.exitCode = await show(Number(values.replay));
else process.exitCode = await explore(Number(values.operations), Number(values.seed));

async function show(seed: number): Promise<number> {
  const outcome = await runOperations(seed, undefined, undefined, subject);
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
  for (const mutant of values.mutants ? (subject === 'facts' ? FACT_BUGS : SEEDED_BUGS) : []) {
    const caught = await findSeedFor(mutant, subject);
    console.log(
      `seeded bug "${mutant.name}": ${caught ? `detected with seed ${caught.seed}: ${caught.violation}` : 'NOT DETECTED'}`,
    );
    if (caught === undefined) wrong += 1;
  }
  console.log(`${done} operations, ${checks} checks, ${failed} deliveries failed: ${wrong} violations`);
  return wrong === 0 ? 0 : 1;
}
