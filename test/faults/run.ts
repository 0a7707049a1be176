import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Exploration, replay } from './explore.ts';
import { SEEDED_BUGS } from './seeded-bugs.ts';
import { findScheduleFor } from './detect-seeded-bug.ts';
import { type ShareOptions, exploreShare } from './explore-share.ts';
import { STORIES } from './stories.ts';

const HELP = `npm run faults: runs the real handlers under combinations of faults, and checks the delivery guarantees

  --schedules N   number of schedules, distributed over the stories (default 20000)
  --depth N       combinations of up to N faults (default 3); if there are too many, an even sample
  --story NAME    only this story
  --seed N        the first seed of the random schedules (default 1)
  --workers N     parallel processes (default 1, at most ${availableParallelism()} here)
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
    part: { type: 'string' },
    'no-bugs': { type: 'boolean', default: false },
    replay: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

const SHOWN = 3;

async function show(text: string): Promise<number> {
  const [name = '', ...rest] = text.split(':');
  const story = STORIES.find((one) => one.name === name);
  if (!story) throw new Error(`no such story: ${name}`);
  const { wrong, trace } = await replay(story, rest.join(':'));
  console.log(trace().join('\n'));
  console.log(wrong.length === 0 ? 'This run has no violations.' : wrong.join('\n'));
  return wrong.length === 0 ? 0 : 1;
}

function sharesFor(part: ShareOptions['part']): ShareOptions & { readonly stories: typeof STORIES } {
  const { story, schedules, depth, seed } = values;
  const stories = STORIES.filter(({ name }) => story === undefined || name === story);
  if (stories.length === 0) throw new Error(`no such story: ${story}`);
  const each = Math.ceil(Number(schedules) / stories.length);
  return { stories, each, depth: Number(depth), seed: Number(seed), part };
}

/** One process of several: plays its part of each story, and tells what it found. */
async function child(part: string): Promise<void> {
  const [nth = 0, of = 1] = part.split('/').map(Number);
  const { stories, ...shares } = sharesFor({ nth, of });
  for (const story of stories) process.send?.({ story: story.name, seen: await exploreShare(story, shares) });
}

type Report = { readonly story: string; readonly seen: Exploration };
const isReport = (message: unknown): message is Report =>
  typeof message === 'object' && message !== null && 'story' in message && 'seen' in message;

async function all(): Promise<number> {
  const begun = Date.now();
  const workers = Math.min(Number(values.workers), availableParallelism());
  const reports = new Map<string, Exploration[]>();
  let [runs, faults, wrong] = [0, 0, 0];
  const told = ({ story, seen }: Report): void => {
    const parts = [...(reports.get(story) ?? []), seen];
    reports.set(story, parts);
    if (parts.length < workers) return;
    runs += sum(parts, (one) => one.runs);
    faults += sum(parts, (one) => one.faults);
    wrong += report(story, parts);
  };
  if (workers > 1)
    await Promise.all(Array.from({ length: workers }, (_, nth) => forked(`${nth}/${workers}`, told)));
  else {
    const { stories, ...shares } = sharesFor({ nth: 0, of: 1 });
    for (const story of stories) told({ story: story.name, seen: await exploreShare(story, shares) });
  }
  const seconds = (Date.now() - begun) / 1_000;
  console.log(
    `\n${runs} schedules with ${faults} faults in ${Math.round(seconds)} s (${Math.round(runs / seconds)} a second): ${wrong} wrong`,
  );
  return wrong + (values['no-bugs'] ? 0 : await bugs()) === 0 ? 0 : 1;
}

function forked(part: string, told: (report: Report) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const one = fork(import.meta.filename, [...process.argv.slice(2), '--part', part]);
    one.on('message', (message) => {
      if (isReport(message)) told(message);
    });
    one.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`part ${part} ended with ${code}`))));
  });
}

const sum = (parts: readonly Exploration[], of: (one: Exploration) => number): number =>
  parts.reduce((total, one) => total + of(one), 0);

/** Prints how a story came out. Resolves with how many schedules of it ended wrongly. */
function report(story: string, parts: readonly Exploration[]): number {
  const levels = parts[0]?.levels ?? [];
  const findings = parts.flatMap((one) => one.findings);
  const deep = levels.map(({ all: there, played }, n) => `${n}: ${played} of ${there}`).join(', ');
  console.log(
    `${story}: ${sum(parts, (one) => one.runs)} schedules, ${findings.length} wrong (combinations by number of faults: ${deep}; the rest random)`,
  );
  for (const { replay: text, wrong, trace } of findings.slice(0, SHOWN)) {
    console.log(`\n${trace.join('\n')}\n${wrong.join('\n')}\nReplay: npm run faults -- --replay ${text}\n`);
  }
  for (const { replay: text, wrong } of findings.slice(SHOWN, SHOWN * 10))
    console.log(`${text}: ${wrong.join('; ')}`);
  return findings.length;
}

/** How many of the seeded bugs nobody notices. */
async function bugs(): Promise<number> {
  let missed = 0;
  for (const mutant of SEEDED_BUGS) {
    const found = await findScheduleFor(mutant);
    console.log(`seeded bug "${mutant}": ${found ? `detected by ${found.replay}` : 'NOT DETECTED'}`);
    if (!found) missed += 1;
  }
  return missed;
}

// Simulated failures are thrown by the million: nobody reads where each was made.
if (values.replay === undefined) Error.stackTraceLimit = 0;

if (values.help) console.log(HELP);
else if (values.replay !== undefined) process.exitCode = await show(values.replay);
else if (values.part !== undefined) await child(values.part);
else process.exitCode = await all();
