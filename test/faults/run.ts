import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { replay } from './explore.ts';
import { SEEDED_BUGS } from './seeded-bugs.ts';
import { divideSchedules, type StorySize } from './divide-schedules.ts';
import { findScheduleFor } from './detect-seeded-bug.ts';
import { type ShareOptions, exploreShare } from './explore-share.ts';
import { ResultsFile, resultSchema, type StoryReport, type Task, taskSchema } from './results-file.ts';
import { STORIES } from './stories.ts';
import { faultPlanOf } from './story.ts';

const HELP = `npm run faults: runs the real handlers under combinations of faults, and checks the delivery guarantees

  --schedules N   number of schedules (default 20000); a story with four times the requests gets half as many
  --depth N       combinations of up to N faults (default 3); if there are too many, an even sample
  --story NAMES   only these stories, separated by commas
  --seed N        the first seed of the random schedules (default 1)
  --workers N     parallel processes (default 1, at most ${availableParallelism()} here)
  --results FILE  keep the result of each finished story in this file, and skip the stories that it has
  --no-bugs       skip the seeded bugs
  --replay TEXT   repeat one run, as printed with a finding

Stories: ${STORIES.map(({ name }) => name).join(', ')}
`;

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '20000' },
    depth: { type: 'string', default: '3' },
    story: { type: 'string' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    results: { type: 'string' },
    child: { type: 'boolean', default: false },
    'no-bugs': { type: 'boolean', default: false },
    replay: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

const SHOWN = 3;

function storyOf(name: string): (typeof STORIES)[number] {
  const story = STORIES.find((one) => one.name === name);
  if (!story) throw new Error(`no such story: ${name}`);
  return story;
}

async function show(text: string): Promise<number> {
  const [name = '', ...rest] = text.split(':');
  const { wrong, trace, gaveUp } = await replay(storyOf(name), rest.join(':'));
  console.log(trace().join('\n'));
  console.log(wrong.length === 0 ? 'This run has no violations.' : wrong.join('\n'));
  if (wrong.length > 0 && gaveUp)
    console.log('It does not count: a task failed so often that it was given up.');
  return wrong.length === 0 || gaveUp ? 0 : 1;
}

const storyNames = (): string[] =>
  values.story === undefined
    ? STORIES.map(({ name }) => name)
    : values.story.split(',').map((name) => storyOf(name).name);

/** The options of each story. The sizes of all stories are known after one run of each. */
async function shares(): Promise<ReadonlyMap<string, ShareOptions>> {
  const sizes: StorySize[] = [];
  for (const name of storyNames()) {
    const { points } = await storyOf(name).play(faultPlanOf(new Map()));
    sizes.push({ name, requests: points.length });
  }
  const options = { depth: Number(values.depth), seed: Number(values.seed) };
  const schedulesOf = divideSchedules(Number(values.schedules), sizes);
  return new Map([...schedulesOf].map(([name, schedules]) => [name, { schedules, ...options }]));
}

/** Runs one story's share of the schedules. */
async function explore({ story, share }: Task): Promise<StoryReport> {
  const startedAt = Date.now();
  const exploration = await exploreShare(storyOf(story), share);
  return { story, share, seconds: (Date.now() - startedAt) / 1_000, exploration };
}

/** One of several processes: runs the stories that it receives, one by one. */
function child(): void {
  // Its parent ended.
  process.on('disconnect', () => process.exit());
  process.on(
    'message',
    (task) => void explore(v.parse(taskSchema, task)).then((ended) => process.send?.(ended)),
  );
}

/** Runs the stories in other processes. Each gets the next story when it has finished one. */
async function inProcesses(tasks: Task[], count: number, done: (ended: StoryReport) => void): Promise<void> {
  const drain = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const one = fork(import.meta.filename, [...process.argv.slice(2), '--child']);
      const next = (): void => {
        const task = tasks.shift();
        if (task !== undefined) return void one.send(task);
        one.disconnect();
        resolve();
      };
      one.on('message', (message) => {
        done(v.parse(resultSchema, message));
        next();
      });
      one.on('exit', (code) => {
        if (code !== 0) reject(new Error(`a process ended with ${code}`));
      });
      next();
    });
  await Promise.all(Array.from({ length: count }, drain));
}

async function all(): Promise<number> {
  const startedAt = Date.now();
  const tasks = [...(await shares())].map(([story, share]): Task => ({ story, share }));
  const file = new ResultsFile(values.results);
  const reports = file.read(tasks);
  for (const earlier of reports) report(earlier);
  const done = (one: StoryReport): void => {
    reports.push(one);
    file.add(one);
    report(one);
  };
  const left = tasks.filter((task) => !reports.some(({ story }) => story === task.story));
  const workers = Math.min(Number(values.workers), availableParallelism());
  if (workers > 1) await inProcesses(left, workers, done);
  else for (const task of left) done(await explore(task));
  const sum = (of: (one: StoryReport['exploration']) => number): number =>
    reports.reduce((total, { exploration }) => total + of(exploration), 0);
  const wrong = sum(({ findings }) => findings.length);
  console.log(
    `\n${sum(({ runs }) => runs)} schedules (${sum(({ random }) => random)} of them random, ${sum(({ faultless }) => faultless)} without a fault) with ${sum(({ faults }) => faults)} faults in ${Math.round((Date.now() - startedAt) / 1_000)} s: ${wrong} wrong`,
  );
  return wrong + (values['no-bugs'] ? 0 : await bugs()) === 0 ? 0 : 1;
}

/** Prints the result of a story. */
function report({ story, seconds, exploration }: StoryReport): void {
  const { runs, random, faultless, levels, findings } = exploration;
  const combinations = levels.map(({ all: there, played }, n) => `${n}: ${played} of ${there}`).join(', ');
  console.log(
    `${story}: ${runs} schedules in ${Math.round(seconds)} s, ${findings.length} wrong (combinations by number of faults: ${combinations}; random: ${random}, ${faultless} of them without a fault)`,
  );
  for (const { replay: text, wrong, trace } of findings.slice(0, SHOWN)) {
    console.log(`\n${trace.join('\n')}\n${wrong.join('\n')}\nReplay: npm run faults -- --replay ${text}\n`);
  }
  for (const { replay: text, wrong } of findings.slice(SHOWN, SHOWN * 10))
    console.log(`${text}: ${wrong.join('; ')}`);
}

/** Tries the seeded bugs. Resolves with the number of undetected ones. */
async function bugs(): Promise<number> {
  let missed = 0;
  for (const mutant of SEEDED_BUGS) {
    const finding = await findScheduleFor(mutant);
    console.log(`seeded bug "${mutant}": ${finding ? `detected by ${finding.replay}` : 'NOT DETECTED'}`);
    // What known-schedules.ts needs.
    for (const line of finding?.trace ?? []) if (line.includes('!!')) console.log(`  ${line}`);
    if (!finding) missed += 1;
  }
  return missed;
}

// Simulated failures are thrown by the million, and nobody reads their stacks.
if (values.replay === undefined) Error.stackTraceLimit = 0;

if (values.help) console.log(HELP);
else if (values.replay !== undefined) process.exitCode = await show(values.replay);
else if (values.child) child();
else process.exitCode = await all();
