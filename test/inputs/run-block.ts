import { type Random, createSeededRandom } from '../faults/seeded-random.ts';
import type { EntryPoint } from './entry-point.ts';

/** The inputs of a block share their state and their order: a replay also sends the inputs before it. */
export const BLOCK = 64;

export type Finding = {
  /** The argument of `--replay`. */
  readonly replay: string;
  readonly wrong: string;
};

/** Detects from outside an input that does not end. */
export type Watch = {
  readonly begin: (replay: string) => void;
  /** The limits of one input in ms of processor time and of waiting; undefined where time is not measured. */
  readonly limitMs: number | undefined;
};

const hash = (text: string): number => {
  let value = 2_166_136_261;
  for (const letter of text) value = Math.imul(value ^ (letter.codePointAt(0) ?? 0), 16_777_619);
  return value >>> 0;
};

export const randomOf = (entry: string, seed: number, block: number): Random =>
  createSeededRandom(hash(`${entry} ${seed} ${block}`));

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The properties of prototypes before the first input. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype).length;

/** Effects of an input on global state. */
function pollution(): string | undefined {
  if (Object.getOwnPropertyNames(Object.prototype).length === INHERITED) return undefined;
  return `what every object inherits was changed: ${Object.getOwnPropertyNames(Object.prototype).slice(INHERITED).join()}`;
}

/** Rejections of promises that nobody awaited. */
const lost: string[] = [];
export const noteLost = (error: unknown): void => void lost.push(`nobody waits for ${describe(error)}`);

/** An error as text, with its stack. */
export const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.name).slice(0, 700) : JSON.stringify(error);

/** Sends one block of inputs to an entry point, up to `until`. */
export async function runBlock(
  entry: EntryPoint,
  seed: number,
  block: number,
  watch: Watch,
  until = BLOCK,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const attempt = await entry.open(randomOf(entry.name, seed, block));
  for (let i = 0; i < until; i += 1) {
    const replay = `${entry.name}:${seed}:${block}:${i}`;
    watch.begin(replay);
    const wrong = await one(attempt, watch.limitMs);
    if (wrong !== undefined) findings.push({ replay, wrong });
  }
  return findings;
}

async function one(
  attempt: () => Promise<string | undefined>,
  limitMs: number | undefined,
): Promise<string | undefined> {
  const began = performance.now();
  const cpu = process.threadCpuUsage();
  const state = { done: false };
  const working = attempt()
    .catch((error: unknown) => `it threw ${describe(error)}`)
    .finally(() => {
      state.done = true;
    });
  while (!state.done) {
    await settled();
    if (limitMs !== undefined && performance.now() - began > 10 * limitMs)
      return 'it does not come to an end';
  }
  const wrong = (await working) ?? lost.splice(0)[0] ?? pollution();
  if (wrong !== undefined || limitMs === undefined || performance.now() - began < limitMs) return wrong;
  // Other processes use the processor too, so processor time counts.
  const { user, system } = process.threadCpuUsage(cpu);
  return user + system > 1_000 * limitMs ? `it took ${Math.round((user + system) / 1_000)} ms` : undefined;
}
