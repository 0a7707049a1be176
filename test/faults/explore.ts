import { ALL_FAULTS, type Fault, FAULTS, RANDOM_FAULTS } from './fault-kinds.ts';
import { Candidates } from './candidates.ts';
import { type FaultPlan, type FaultPoint, MAX_REQUESTS } from './harness.ts';
import { type StoryResult, faultPlanOf, scheduleOf, type Story, type InjectedFaults } from './story.ts';

/** A run with a wrong result. `replay` is the argument of `npm run faults -- --replay`. */
export type Finding = {
  readonly replay: string;
  readonly wrong: readonly string[];
  readonly trace: readonly string[];
};

export type Exploration = {
  runs: number;
  /** The number of random schedules among them. */
  random: number;
  /** The number of random schedules without any fault: they only vary the order of what happens. */
  faultless: number;
  faults: number;
  findings: Finding[];
  /** The number of schedules by their number of faults, and the number that was run. */
  readonly levels: { readonly all: number; readonly played: number }[];
};

export const emptyExploration = (): Exploration => ({
  runs: 0,
  random: 0,
  faultless: 0,
  faults: 0,
  findings: [],
  levels: [],
});

export type CombinationOptions = {
  /** The maximum number of faults in a combination. */
  readonly depth: number;
  /** The maximum number of runs per number of faults, evenly spread. */
  readonly maxSchedules?: number;
  /** Stops after this many findings. */
  readonly enough?: number;
};

/**
 * Runs every combination of up to `depth` faults, by number of faults. Each run shows the points for the next fault:
 * those after the last one. Equivalent combinations are omitted: see `strikesAfter`.
 */
export async function runCombinations(
  story: Story,
  { depth, maxSchedules = Infinity, enough = Infinity }: CombinationOptions,
): Promise<Exploration> {
  const exploration = emptyExploration();
  let level: Iterable<InjectedFaults> = [new Map()];
  let all = 1;
  for (let count = 0; ; count += 1) {
    const isLast = count === depth;
    const next = new Candidates();
    let played = 0;
    for (const strikes of level) {
      const result = await story.play(faultPlanOf(strikes));
      played += 1;
      note(result, `${story.name}:strikes:${written(strikes)}`, strikes.size, exploration);
      if (!isLast) next.add(strikes, strikesAfter(result.points, strikes));
      if (exploration.findings.length >= enough) return exploration;
    }
    exploration.levels.push({ all, played });
    if (isLast) return exploration;
    level = next.spread(maxSchedules);
    all = next.length;
  }
}

/**
 * The faults that may follow the last one. "Ends before a request" is omitted if the request before it is of the same process at the same
 * time: that equals "ends after" the request before.
 */
function* strikesAfter(
  points: readonly FaultPoint[],
  strikes: InjectedFaults,
): Generator<readonly [number, Fault]> {
  const from = Math.max(-1, ...strikes.keys()) + 1;
  for (let index = from; index < points.length; index += 1) {
    const [before, point] = [points[index - 1], points[index]];
    if (!point) continue;
    const isSame = index > from && before?.process === point.process && before.at === point.at;
    for (const fault of FAULTS[point.kind]) if (fault !== 'die-before' || !isSame) yield [index, fault];
  }
}

const written = (strikes: InjectedFaults): string =>
  [...strikes].map(([index, fault]) => `${index}=${fault}`).join(',');

function note(played: StoryResult, name: string, faults: number, exploration: Exploration): void {
  exploration.runs += 1;
  exploration.faults += faults;
  const isEndless = played.points.length >= MAX_REQUESTS;
  const wrong = isEndless ? [`more than ${MAX_REQUESTS} requests`] : played.wrong;
  if (wrong.length > 0 && (isEndless || !played.gaveUp))
    exploration.findings.push({ replay: name, wrong, trace: played.trace() });
}

/** The maximum number of faults in a random schedule, and the average number per 100 points. */
const MAX = 20;
const PER_100 = [1, 4, 8, 16];

/** Random orders and up to twenty random faults: one run per seed. */
export async function runRandomSchedules(
  story: Story,
  seeds: Iterable<number>,
  enough = Infinity,
): Promise<Exploration> {
  const exploration = emptyExploration();
  for (const seed of seeds) {
    const { played, faults } = await seeded(story, seed);
    exploration.random += 1;
    if (faults === 0) exploration.faultless += 1;
    note(played, `${story.name}:seed:${seed}`, faults, exploration);
    if (exploration.findings.length >= enough) break;
  }
  return exploration;
}

async function seeded(story: Story, seed: number): Promise<{ played: StoryResult; faults: number }> {
  const random = scheduleOf(seed);
  const rate = (PER_100[Math.floor(random() * PER_100.length)] ?? 1) / 100;
  let faults = 0;
  const plan: FaultPlan = (_index, _name, kind) => {
    if (faults >= MAX || random() >= rate) return undefined;
    faults += 1;
    const all = RANDOM_FAULTS[kind];
    return all[Math.floor(random() * all.length)];
  };
  return { played: await story.play(plan, random), faults };
}

/** Replays the finding named by the text after its story. Throws for a malformed text. */
export async function replay(story: Story, text: string): Promise<StoryResult> {
  const [kind, rest = ''] = text.split(':', 2);
  if (kind === 'seed') return (await seeded(story, Number(rest))).played;
  if (kind !== 'strikes') throw new Error(`not a run: ${text}`);
  const strikes = rest
    .split(',')
    .filter(Boolean)
    .map((strike): [number, Fault] => {
      const [index = '', name = ''] = strike.split('=', 2);
      if (!isFault(name)) throw new Error(`no such fault: ${name}`);
      return [Number(index), name];
    });
  return story.play(faultPlanOf(new Map(strikes)));
}

const isFault = (name: string): name is Fault => ALL_FAULTS.some((one) => one === name);
