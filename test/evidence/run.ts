import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FinishedParts } from './finished-parts.ts';
import {
  combineParts,
  type EvidenceCommand,
  evidencePlan,
  type EvidenceResult,
  readResult,
  resultTable,
} from './plan.ts';

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

Run it again with the same folder after an interruption: it skips the finished parts, and the finished stories of the fault
simulation. Uses two processors.
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
  const startedAt = performance.now();
  const results = await runAll(plan);
  const ordered = plan.map(({ name }) =>
    combineParts(
      name,
      results.filter((one) => one.name === name),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const failures = ordered.reduce((sum, one) => sum + one.failures, 0);
  console.log(`\n${resultTable([...ordered, { name: 'all', count: ordered.length, failures, seconds }])}`);
  return failures === 0 ? 0 : 1;
}

/** One process of a command. */
type Part = { readonly command: EvidenceCommand; readonly part: number; readonly count: number };

/** The parts of a command, which share its count. */
const partsOf = (command: EvidenceCommand): Part[] =>
  Array.from({ length: command.parts }, (_, part) => ({
    command,
    part,
    count: Math.max(1, Math.ceil((command.full * Number(values.share)) / command.parts)),
  }));

/** Runs the parts in order, as many at a time as there are processors for. */
async function runAll(plan: readonly EvidenceCommand[]): Promise<EvidenceResult[]> {
  const results: EvidenceResult[] = [];
  const finished = new FinishedParts(join(values.folder, 'parts.jsonl'));
  const running = new Map<Part, Promise<void>>();
  for (const one of plan.flatMap(partsOf)) {
    const { command, part, count } = one;
    const earlier = finished.find(command.name, part, count);
    if (earlier) {
      results.push(earlier);
      continue;
    }
    while (processorsOf(running) + command.processors > PROCESSORS) await Promise.race(running.values());
    const work = async (): Promise<void> => {
      const result = await run(one);
      finished.add({ ...result, part, wanted: count });
      results.push(result);
      running.delete(one);
    };
    running.set(one, work());
  }
  await Promise.all(running.values());
  return results;
}

const processorsOf = (running: ReadonlyMap<Part, unknown>): number =>
  [...running.keys()].reduce((sum, { command }) => sum + command.processors, 0);

const children = new Set<ChildProcess>();

/** Whoever ends this process ends its commands: the next run starts them anew. */
function endChildren(signal: NodeJS.Signals): void {
  for (const child of children) child.kill(signal);
  process.exit(1);
}

/** Runs one part. Prints its result when it has ended, and keeps what it prints in a file. */
async function run({ command, part, count }: Part): Promise<EvidenceResult> {
  const name = command.parts === 1 ? command.name : `${command.name} ${part + 1} of ${command.parts}`;
  const path = join(values.folder, `${name.replaceAll(/\W+/gu, '-')}.txt`);
  const startedAt = performance.now();
  console.log(`${name}: ${count.toLocaleString('en')} ${command.unit}, see ${path}`);
  const code = await new Promise<number>((resolve, reject) => {
    const output = createWriteStream(path);
    output.on('open', () => {
      const child = spawn(process.execPath, command.args(count, part), { stdio: ['ignore', output, output] });
      children.add(child);
      child.on('error', reject).on('exit', (status) => {
        children.delete(child);
        resolve(status ?? 1);
      });
    });
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const result = readResult(command, readFileSync(path, 'utf8'), { code, seconds });
  console.log(`${name}: ${result.failures} failures in ${Math.round(seconds)} s`);
  return result;
}

process.once('SIGINT', endChildren).once('SIGTERM', endChildren);
if (values.help) console.log(HELP);
else process.exitCode = await main();
