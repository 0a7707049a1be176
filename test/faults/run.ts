import { parseArgs } from 'node:util';
import { faultsOf } from './check.ts';
import { type Exploration, exhaust, ONE_QUESTION, replay, THREE_QUESTIONS, wander } from './explore.ts';
import { MUTANTS } from './mutants.ts';

const HELP = `npm run faults: proves the protocol by running the real front and worker under every combination of faults

  --depth N      combinations of up to N faults for one message (default 2)
  --seeds N      random schedules for three messages in one thread (default 5000)
  --first N      the first seed (default 1)
  --replay TEXT  shows one run again, as printed with a finding
`;

const { values } = parseArgs({
  options: {
    depth: { type: 'string', default: '2' },
    seeds: { type: 'string', default: '5000' },
    first: { type: 'string', default: '1' },
    replay: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

const SHOWN = 3;

if (values.help) console.log(HELP);
else if (values.replay !== undefined) process.exitCode = await show(values.replay);
else process.exitCode = await explore(Number(values.depth), Number(values.seeds), Number(values.first));

async function show(text: string): Promise<number> {
  const questions = text.startsWith('seed:') ? THREE_QUESTIONS : ONE_QUESTION;
  const end = await replay({ questions }, text);
  const wrong = faultsOf(end);
  console.log(end.world.trace.join('\n'));
  console.log(wrong.length === 0 ? 'Nothing is wrong with this run.' : wrong.join('\n'));
  return wrong.length === 0 ? 0 : 1;
}

async function explore(depth: number, count: number, first: number): Promise<number> {
  const seeds = Array.from({ length: count }, (_, i) => first + i);
  const exhausted = await exhaust({ questions: ONE_QUESTION }, { depth });
  report(`one message, all combinations of up to ${depth} faults`, exhausted);
  const wandered = await wander({ questions: THREE_QUESTIONS }, seeds);
  report(`three messages in one thread, seeds ${first} to ${first + count - 1}`, wandered);
  let missed = 0;
  for (const mutant of MUTANTS) {
    const { findings } = await exhaust({ questions: ONE_QUESTION, mutant }, { depth: 2, enough: 1 });
    console.log(`seeded bug "${mutant}": ${findings[0] ? `caught by ${findings[0].replay}` : 'NOT CAUGHT'}`);
    if (findings.length === 0) missed += 1;
  }
  return exhausted.findings.length + wandered.findings.length + missed === 0 ? 0 : 1;
}

function report(what: string, { runs, faults, findings }: Exploration): void {
  console.log(`${what}: ${runs} runs, ${faults} faults, ${findings.length} wrong`);
  for (const { replay: text, wrong, trace } of findings.slice(0, SHOWN)) {
    console.log(`\n${trace.join('\n')}\n${wrong.join('\n')}\nAgain: npm run faults -- --replay ${text}\n`);
  }
}
