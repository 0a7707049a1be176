import { execFileSync, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type EvidenceCommand, evidencePlan, type EvidenceResult, readResult, resultTable } from './plan.ts';

/** Results of another version say nothing about this one. */
function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'no-commit';
  }
}

const FOLDER = `.parley/evidence/${commit()}`;
const NAMES = evidencePlan(FOLDER).map(({ name }) => name);

const HELP = `npm run evidence: runs the large simulations with the full numbers, and prints a table of counts, failures and times

  --share F       this share of the full numbers, such as 0.01 (default 1)
  --only NAMES    only these commands, separated by semicolons: ${NAMES.join('; ')}
  --folder PATH   what each command prints is kept here (default ${FOLDER})

The fault simulation goes on behind the last finished story if the folder has its results. Uses two processors.
`;

const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '1' },
    only: { type: 'string' },
    folder: { type: 'string', default: FOLDER },
    help: { type: 'boolean', short: 'h' },
  },
});

const PROCESSORS = 2;

async function main(): Promise<number> {
  mkdirSync(values.folder, { recursive: true });
  const only = values.only?.split(';').map((name) => name.trim());
  const plan = evidencePlan(values.folder).filter(({ name }) => only?.includes(name) ?? true);
  if (plan.length === 0) throw new Error(`no such command: ${values.only}`);
  const begun = performance.now();
  const results = await runAll(plan);
  const ordered = plan.flatMap(({ name }) => results.filter((one) => one.name === name));
  const seconds = (performance.now() - begun) / 1_000;
  const failures = ordered.reduce((sum, one) => sum + one.failures, 0);
  console.log(`\n${resultTable([...ordered, { name: 'all', count: ordered.length, failures, seconds }])}`);
  return failures === 0 ? 0 : 1;
}

/** Runs the commands in order, as many at a time as there are processors for. */
async function runAll(plan: readonly EvidenceCommand[]): Promise<EvidenceResult[]> {
  const results: EvidenceResult[] = [];
  const running = new Map<EvidenceCommand, Promise<void>>();
  for (const command of plan) {
    while (processorsOf(running) + command.processors > PROCESSORS) await Promise.race(running.values());
    const work = async (): Promise<void> => {
      results.push(await run(command));
      running.delete(command);
    };
    running.set(command, work());
  }
  await Promise.all(running.values());
  return results;
}

const processorsOf = (running: ReadonlyMap<EvidenceCommand, unknown>): number =>
  [...running.keys()].reduce((sum, { processors }) => sum + processors, 0);

/** Runs one command. Prints its result when it has ended, and keeps what it prints in a file. */
async function run(command: EvidenceCommand): Promise<EvidenceResult> {
  const count = Math.max(1, Math.ceil(command.full * Number(values.share)));
  const path = join(values.folder, `${command.name.replaceAll(/\W+/gu, '-')}.txt`);
  const begun = performance.now();
  console.log(`${command.name}: ${count.toLocaleString('en')} ${command.unit}, see ${path}`);
  const code = await new Promise<number>((resolve, reject) => {
    const output = createWriteStream(path);
    output.on('open', () => {
      const child = spawn(process.execPath, command.args(count), { stdio: ['ignore', output, output] });
      child.on('error', reject).on('exit', (status) => resolve(status ?? 1));
    });
  });
  const seconds = (performance.now() - begun) / 1_000;
  const result = readResult(command, readFileSync(path, 'utf8'), { code, seconds });
  console.log(`${command.name}: ${result.failures} failures in ${Math.round(seconds)} s`);
  return result;
}

if (values.help) console.log(HELP);
else process.exitCode = await main();
