import { faultsOf } from './check.ts';
import { type Random, randomFrom } from './random.ts';
import type { Act, Aftermath, Options } from './options.ts';
import { run } from './scenario.ts';
import { CALL_FAULTS, type Fault, type Plan } from './world.ts';

/** Which fault strikes at which point of a run. */
export type Strikes = ReadonlyMap<number, Fault>;

/** A run that ended wrongly. `replay` is what makes `npm run faults -- --replay …` show it again. */
export type Finding = {
  readonly replay: string;
  readonly wrong: readonly string[];
  readonly trace: readonly string[];
};

export type Exploration = { runs: number; faults: number; findings: Finding[] };

type Scenario = Pick<Options, 'mutant' | 'questions' | 'acts' | 'groupLock' | 'limit'>;

export const ONE_QUESTION: Scenario['questions'] = [{ text: 'why?', afterMs: 0 }];
export const THREE_QUESTIONS: Scenario['questions'] = [
  { text: 'one?', afterMs: 0 },
  { text: 'two?', afterMs: 40 },
  { text: 'three?', afterMs: 2_000 },
];

export const THREE_THREADS: Scenario['questions'] = [
  { text: 'one?', afterMs: 0, thread: 0 },
  { text: 'two?', afterMs: 40, thread: 1 },
  { text: 'three?', afterMs: 500, thread: 0 },
  { text: 'four?', afterMs: 1_500, thread: 2 },
  { text: 'five?', afterMs: 2_500, thread: 1 },
];

const planOf =
  (strikes: Strikes): Plan =>
  (index) =>
    strikes.get(index);

/**
 * Every combination of up to `depth` faults for one message. Each run shows which points the next fault may strike: those
 * after the last one. `share` takes every nth of the deepest runs only; `enough` findings end it.
 */
export async function exhaust(
  scenario: Scenario,
  { depth, share = 1, enough = Infinity }: { depth: number; share?: number; enough?: number },
): Promise<Exploration> {
  const seen: Exploration = { runs: 0, faults: 0, findings: [] };
  let turn = 0;
  const visit = async (strikes: Strikes): Promise<void> => {
    const end = await one(scenario, strikes, seen);
    if (strikes.size === depth) return;
    const from = Math.max(-1, ...strikes.keys()) + 1;
    for (const [offset, kind] of end.world.points.slice(from).entries()) {
      for (const fault of kind === 'call' ? CALL_FAULTS : (['double'] as const)) {
        if (seen.findings.length >= enough) return;
        turn += 1;
        if (strikes.size + 1 === depth && turn % share !== 0) continue;
        await visit(new Map([...strikes, [from + offset, fault]]));
      }
    }
  };
  await visit(new Map());
  return seen;
}

async function one(scenario: Scenario, strikes: Strikes, seen: Exploration): Promise<Aftermath> {
  const end = await run({ ...scenario, plan: planOf(strikes) });
  note(
    end,
    `strikes:${[...strikes].map(([index, fault]) => `${index}=${fault}`).join(',')}`,
    strikes.size,
    seen,
  );
  return end;
}

function note(end: Aftermath, name: string, faults: number, seen: Exploration): void {
  seen.runs += 1;
  seen.faults += faults;
  const wrong = faultsOf(end);
  if (wrong.length > 0) seen.findings.push({ replay: name, wrong, trace: end.world.trace });
}

/** Random orders and random faults, about `perRun` of them, for three messages in one thread: one run per seed. */
export async function wander(
  scenario: Scenario,
  seeds: readonly number[],
  perRun = PER_RUN,
): Promise<Exploration> {
  const seen: Exploration = { runs: 0, faults: 0, findings: [] };
  for (const seed of seeds) {
    const { end, faults } = await seeded(scenario, seed, perRun);
    // What Slack itself gave up never happened for the bot, and nothing can be said of how the run should end.
    if (!end.gaveUp) note(end, `seed:${seed}`, faults, seen);
  }
  return seen;
}

/** Faults in a run, on average. */
const PER_RUN = 6;
/** A run has at most this many times as many: what every retry strikes again never comes to rest, and cannot be judged. */
const UNLUCKY = 2;
/** About how many points a run of three questions has. */
const POINTS = 150;

async function seeded(scenario: Scenario, seed: number, perRun: number) {
  const random = randomFrom(seed);
  let faults = 0;
  const plan: Plan = (_index, _name, kind) => {
    if (faults >= perRun * UNLUCKY || random() >= perRun / POINTS) return undefined;
    faults += 1;
    return kind === 'delivery' ? 'double' : CALL_FAULTS[Math.floor(random() * CALL_FAULTS.length)];
  };
  const acts = scenario.acts ?? actsFrom(random);
  return { end: await run({ ...scenario, acts, plan, random }), faults };
}

/** Up to two things that people do while they wait, or soon after. With the first question the thread goes. */
function actsFrom(random: Random): Act[] {
  const some = Math.floor(random() * 3);
  return Array.from({ length: some }, (): Act => {
    const what = (['edit', 'delete', 'regenerate'] as const)[Math.floor(random() * 3)] ?? 'edit';
    const question = Math.floor(random() * 3);
    // Nobody edits within the same moment.
    const afterMs = 300 + Math.floor(random() ** 3 * 90_000);
    return { what, question, afterMs };
  });
}

/** Runs a finding again. Throws for a text that is none. */
export async function replay(scenario: Scenario, text: string): Promise<Aftermath> {
  const [kind, rest = ''] = text.split(':', 2);
  if (kind === 'seed') return (await seeded(scenario, Number(rest), PER_RUN)).end;
  if (kind !== 'strikes') throw new Error(`not a run: ${text}`);
  const strikes = rest
    .split(',')
    .filter(Boolean)
    .map((strike): [number, Fault] => {
      const [index = '', name = ''] = strike.split('=', 2);
      const fault = [...CALL_FAULTS, 'double' as const].find((known) => known === name);
      if (!fault) throw new Error(`no such fault: ${name}`);
      return [Number(index), fault];
    });
  return run({ ...scenario, plan: planOf(new Map(strikes)) });
}
