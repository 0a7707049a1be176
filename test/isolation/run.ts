import { parseArgs } from 'node:util';
import { caughtBy, OPERATIONS_PER_WORLD, play } from './explore.ts';
import { MUTANTS } from './mutants.ts';

const HELP = `npm run isolation: random operations of several tenants against a model of who may read and change what

  --operations N  number of operations (default 20000)
  --seed S        seed of the first world (default 1); each further world adds one
  --mutants       also try seeded bugs; each must be detected
  --replay S      repeat one world, as printed with a violation
`;

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    replay: { type: 'string' },
    mutants: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

const SHOWN = 12;
/** Told after so many operations. */
const PROGRESS = 50_000;

if (values.help) console.log(HELP);
else if (values.replay !== undefined) process.exitCode = await show(Number(values.replay));
else process.exitCode = await explore(Number(values.operations), Number(values.seed));

async function show(seed: number): Promise<number> {
  const { trace, violations, failures } = await play(seed);
  console.log([...trace, ...failures, ...violations].join('\n'));
  return violations.length === 0 ? 0 : 1;
}

async function explore(operations: number, first: number): Promise<number> {
  let [done, checks, wrong, failed] = [0, 0, 0, 0];
  for (let seed = first; done < operations; seed += 1) {
    const outcome = await play(seed, Math.min(OPERATIONS_PER_WORLD, operations - done));
    done += outcome.operations;
    checks += outcome.checks;
    failed += outcome.failures.length;
    // A world ends at its first violation.
    if (done % PROGRESS < outcome.operations)
      console.log(`${done} operations, ${wrong} worlds with violations`);
    if (outcome.violations.length === 0) continue;
    wrong += 1;
    console.log(`\n${outcome.trace.slice(-SHOWN).join('\n')}\n${outcome.violations.join('\n')}`);
    console.log(`Again: npm run isolation -- --replay ${seed}\n`);
  }
  for (const mutant of values.mutants ? MUTANTS : []) {
    const caught = await caughtBy(mutant);
    console.log(`seeded bug "${mutant.name}": ${caught === undefined ? 'NOT CAUGHT' : `caught: ${caught}`}`);
    if (caught === undefined) wrong += 1;
  }
  console.log(`${done} operations, ${checks} checks, ${failed} deliveries failed: ${wrong} violations`);
  return wrong === 0 ? 0 : 1;
}
