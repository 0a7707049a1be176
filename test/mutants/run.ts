import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { PROJECT, readSourceTree, type SourceFile } from '../../infra/checks/source-tree.ts';
import { prepareRecord, readCovered, readPrepared, SUITES } from './coverage.ts';
import { marksFor } from './marks.ts';
import { type Mutant } from './mutate.ts';
import { type Choice, isAsked, readListed, readRules, shareOf, chosenFrom, readSample } from './sample.ts';
import { TypeCheck } from './types.ts';
import { report, type MutantResult, testMutant } from './test-mutant.ts';

const HELP = `npm run mutants: makes small changes to the code, one at a time, and checks whether a test notices each

  --share K/N     the Kth of N parts of the changes; commit/N chooses the part from the commit (default 1/1)
  --only PATH     only files whose path starts with this; repeatable
  --seed N        another sample of changes than test/mutants/sampled.json
  --rules         only the changes that break a rule of test/mutants/rules.json
  --id ID         only this change; repeatable
  --jobs N        processes at a time (default 2)
  --report        exit code 0, whatever is found
  --listed        also the changes in test/mutants/listed.json
  --learn         run the suites first, to record which suite executes which change (default: the last record)
  --covered DIR   folder of that record (default .parley/mutants/covered)
  --prepare       only prepare that folder: jest then writes the record if PARLEY_COVERED_TO names it

Exit code 1 if no test notices a change that is not in test/mutants/listed.json.
`;

const FOLDER = join(PROJECT, '.parley', 'mutants');
const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '1/1' },
    only: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string' },
    rules: { type: 'boolean', default: false },
    id: { type: 'string', multiple: true, default: [] },
    jobs: { type: 'string', default: '2' },
    listed: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
    learn: { type: 'boolean', default: false },
    prepare: { type: 'boolean', default: false },
    covered: { type: 'string', default: join(FOLDER, 'covered') },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const seed = values.seed === undefined ? undefined : Number(values.seed);
const choice: Choice = { seed, only: values.only, ...share(values.share) };

if (values.help) console.log(HELP);
else {
  const code = await main();
  process.exitCode = values.report ? 0 : code;
}

async function main(): Promise<number> {
  const files = await readSourceTree();
  const all = await changesOf(files);
  const changes = askedOf(all);
  if (values.prepare) {
    await prepareRecord(values.covered, marksFor(changes, files));
    return 0;
  }
  const recorded = await readPrepared(values.covered);
  const isRecorded = changes.every(({ id }) => recorded.has(id));
  if (values.learn || !isRecorded || (await readCovered(values.covered)).length === 0) {
    // Of all changes, for the next time.
    await prepareRecord(values.covered, marksFor(all, files));
    learn();
  }
  const covered = await readCovered(values.covered);
  const types = new TypeCheck(join(FOLDER, 'types'), files);
  const listed = await readListed();
  const [untried, mutants] = split(changes, ({ id }) => !values.listed && listed[id] !== undefined);
  const detectingSuites = await readDetectingSuites();
  const verdicts = await inParallel(mutants, Number(values.jobs), async (mutant) => {
    const verdict = await testMutant(mutant, { covered, types }, detectingSuites.get(mutant.id));
    if (verdict.suite !== undefined) detectingSuites.set(mutant.id, verdict.suite);
    return verdict;
  });
  await writeDetectingSuites(detectingSuites);
  return report(verdicts, untried, listed);
}

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): [first: T[], rest: T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

function learn(): void {
  console.log('running the suites to record which suite runs which function');
  const jest = join(PROJECT, 'node_modules', 'jest', 'bin', 'jest.js');
  const env = { ...process.env, PARLEY_COVERED_TO: values.covered };
  spawnSync(process.execPath, [jest, '--silent', '--maxWorkers=2', SUITES], {
    cwd: PROJECT,
    env,
    stdio: 'inherit',
  });
}

/** The changes to choose from. */
async function changesOf(files: readonly SourceFile[]): Promise<Mutant[]> {
  const { mutants: broken, stale } = await readRules();
  for (const { path, rule } of stale) {
    console.log(
      `test/mutants/rules.json: the text of rule “${rule}” is no longer in ${path}: rewrite the rule`,
    );
  }
  const rules = broken.filter(({ path }) => isAsked(path, choice.only));
  return [...rules, ...(values.rules ? [] : chosenFrom(files, choice, await readSample()))];
}

/** The changes that are tried. */
function askedOf(all: readonly Mutant[]): Mutant[] {
  if (values.id.length > 0) return all.filter(({ id }) => values.id.includes(id));
  const mutants = shareOf(all, choice);
  console.log(`${mutants.length} of ${all.length} changes (share ${choice.part} of ${choice.parts})`);
  return mutants;
}

/** `3/12`, or `commit/12`: the part that the commit falls to, so that the same commit is always held to the same. */
function share(text: string): { part: number; parts: number } {
  const [part = '1', parts = '1'] = text.split('/');
  if (part !== 'commit') return { part: Number(part), parts: Number(parts) };
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: PROJECT, encoding: 'utf8' });
  return { part: (Number.parseInt(head.slice(0, 8), 16) % Number(parts)) + 1, parts: Number(parts) };
}

async function inParallel(
  mutants: readonly Mutant[],
  jobs: number,
  judge: (mutant: Mutant) => Promise<MutantResult>,
): Promise<MutantResult[]> {
  const verdicts: MutantResult[] = [];
  const waiting = [...mutants];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      verdicts.push(await judge(next));
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return verdicts;
}

/** Which suite detected which change the last time: it runs first. */
async function readDetectingSuites(): Promise<Map<string, string>> {
  const text = await readFile(join(FOLDER, 'noticed.txt'), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(0, 8), line.slice(9)]));
}

async function writeDetectingSuites(detectingSuites: ReadonlyMap<string, string>): Promise<void> {
  const file = join(FOLDER, 'noticed.txt');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, [...detectingSuites].map(([id, suite]) => `${id} ${suite}\n`).join(''));
}
