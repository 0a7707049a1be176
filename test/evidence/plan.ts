/** The options that every simulation needs: see `bundled-modules.ts`. */
const SIMULATION = ['--max-semi-space-size=64', '--import', './test/evidence/bundled-modules.ts'];

/** One command of the evidence run. */
export type EvidenceCommand = {
  readonly name: string;
  /** What it counts. */
  readonly unit: string;
  /** How many the full run has. */
  readonly full: number;
  /** How many processors it keeps busy. */
  readonly processors: 1 | 2;
  /** The number of parts, each a process. An interruption loses only the parts in progress. */
  readonly parts: number;
  /** The arguments of Node for one part (from 0) with this many. */
  readonly args: (count: number, part: number) => readonly string[];
  /** Matches the line with the result. Its groups are the count and the failures. */
  readonly summary: RegExp;
};

/** The parts of a command have different seeds: a part uses fewer than this many. */
const SEEDS_PER_PART = 1_000_000;

/** What `npm run evidence` runs, the longest first. `folder` keeps results between runs. */
export const evidencePlan = (folder: string): readonly EvidenceCommand[] => [
  {
    name: 'faults',
    unit: 'schedules',
    full: 1_000_000,
    processors: 2,
    parts: 1,
    args: (count) => [
      ...SIMULATION,
      'test/faults/run.ts',
      '--schedules',
      String(count),
      '--workers',
      '2',
      '--results',
      `${folder}/faults.jsonl`,
    ],
    summary: /^(\d+) schedules \(.*: (\d+) wrong$/mu,
  },
  {
    name: 'isolation',
    unit: 'operations',
    full: 1_000_000,
    processors: 1,
    parts: 10,
    args: (count, part) => [
      ...SIMULATION,
      'test/isolation/run.ts',
      '--operations',
      String(count),
      '--seed',
      String(1 + part * SEEDS_PER_PART),
      ...(part === 0 ? ['--mutants'] : []),
    ],
    summary: /^(\d+) operations, .*: (\d+) violations$/mu,
  },
  {
    name: 'inputs',
    unit: 'inputs',
    full: 10_000_000,
    processors: 1,
    parts: 10,
    args: (count, part) => [
      'test/inputs/run.ts',
      '--count',
      String(count),
      '--seed',
      String(1 + part * SEEDS_PER_PART),
      '--threads',
      '1',
    ],
    summary: /^(\d+) inputs in .*: (\d+) wrong$/mu,
  },
  {
    name: 'soak at 100 questions a second',
    unit: 'minutes',
    full: 30,
    processors: 1,
    parts: 1,
    args: (count) => ['test/soak/run.ts', '--minutes', String(count), '--rate', '100'],
    summary: /^(\d+) questions in .*; (\d+) wrong; /mu,
  },
  {
    name: 'kills',
    unit: 'kills',
    full: 200,
    processors: 2,
    parts: 1,
    args: (count) => ['test/kills/run.ts', '--kills', String(count)],
    summary: /^(\d+) kills, .*: (\d+) wrong; /mu,
  },
  {
    name: 'URLs and bombs',
    unit: 'test suites',
    full: 2,
    processors: 1,
    parts: 1,
    args: () => ['node_modules/jest/bin/jest.js', 'test/inputs/fetching', 'test/inputs/bombs'],
    summary: /^Tests: +(?:(?<failed>\d+) failed, )?(\d+) passed/mu,
  },
];

/** What a command came to. Without `count` it printed no result. */
export type EvidenceResult = {
  readonly name: string;
  readonly count: number | undefined;
  readonly failures: number;
  readonly seconds: number;
};

/** Reads the result from what a command printed. A command without a result, or with another exit code than 0, failed at least once. */
export function readResult(
  { name, summary }: EvidenceCommand,
  output: string,
  { code, seconds }: { readonly code: number; readonly seconds: number },
): EvidenceResult {
  const match = summary.exec(output);
  const [failed, count] = match?.groups ? [match.groups['failed'] ?? 0, match[2]] : [match?.[2], match?.[1]];
  const failures = Number(failed ?? 0);
  return {
    name,
    count: count === undefined ? undefined : Number(count),
    failures: code === 0 && match ? failures : Math.max(1, failures),
    seconds,
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** The result of all parts of a command. Without the count of each part there is no count. */
export function combineParts(name: string, parts: readonly EvidenceResult[]): EvidenceResult {
  const counts = parts.flatMap(({ count }) => count ?? []);
  return {
    name,
    count: counts.length < parts.length || parts.length === 0 ? undefined : sum(counts),
    failures: sum(parts.map(({ failures }) => failures)),
    seconds: sum(parts.map(({ seconds }) => seconds)),
  };
}

/** The results as a table in Markdown. */
export function resultTable(results: readonly EvidenceResult[]): string {
  const rows = results.map(({ name, count, failures, seconds }) => [
    name,
    count?.toLocaleString('en') ?? 'no result',
    String(failures),
    `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`,
  ]);
  const lines = [
    ['Command', 'Count', 'Failures', 'Time of all processes'],
    ['---', '--:', '--:', '--:'],
    ...rows,
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
